/// A key of a terminal.
enum Key: Hashable, Sendable {
  case up, down, left, right, pageUp, pageDown, home, end, escape
  /// A printable character of ASCII.
  case character(Character)
}

/// The keys that a user presses while a table is shown.
protocol KeySource: Sendable {
  /// For one reader.
  var keys: AsyncStream<Key> { get }
  /// Whether keys arrive.
  var isTaken: Bool { get }
  /// Lets keys arrive at once and without an echo, if this process is in the terminal's foreground.
  /// Called again and again: a process gets there at any time.
  func take()
  /// Restores the terminal. Called any number of times.
  func release()
}

/// No terminal to read keys from.
struct NoKeys: KeySource {
  let keys = AsyncStream<Key> { $0.finish() }
  let isTaken = false

  func take() {}
  func release() {}
}
