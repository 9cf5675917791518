/// A key of a terminal.
enum Key: Hashable, Sendable {
  case up, down, left, right, pageUp, pageDown, home, end, escape
  /// A printable character of ASCII.
  case character(Character)
}

/// The keys that a user presses while a table is shown.
protocol KeySource: Sendable {
  /// The pressed keys, for one reader.
  var keys: AsyncStream<Key> { get }
  /// Whether keys arrive.
  var isAcquired: Bool { get }
  /// Makes the terminal deliver each key immediately and without an echo, if this process is in the
  /// terminal's foreground. Called repeatedly, because a process can move to the foreground at any
  /// time.
  func acquire()
  /// Restores the terminal. May be called any number of times.
  func release()
}

/// A source without a terminal, which delivers no keys.
struct NullKeySource: KeySource {
  let keys = AsyncStream<Key> { $0.finish() }
  let isAcquired = false

  func acquire() {}
  func release() {}
}
