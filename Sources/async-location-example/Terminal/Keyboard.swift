import AsyncLocation
import Dispatch
import Glibc

/// Reads keys from the terminal on standard input.
///
/// Keys are read on a separate queue, and only while this process is in the terminal's foreground:
/// in the background, the keys belong to the shell.
final class Keyboard: KeySource {
  private struct State {
    /// The settings to restore; nil while the terminal's settings are unchanged.
    var settings: termios?
    var source: ReadSource?
    var decoder = KeyDecoder()
    /// The number of reads.
    var reads = 0
    /// Whether the keyboard was closed or the terminal is gone.
    var isClosed = false
  }

  let keys: AsyncStream<Key>
  private let pressed: AsyncStream<Key>.Continuation
  private let descriptor: Int32
  private let queue = DispatchQueue(label: "keyboard")
  private let state = Locked(State())

  /// The time after which ESC counts as the key itself. The bytes of a sequence arrive together, or
  /// in quick succession over a slow network.
  private static let pause = DispatchTimeInterval.milliseconds(100)

  /// - Parameter descriptor: A terminal.
  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    (keys, pressed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
  }

  deinit { release() }

  var isAcquired: Bool { state.withLock { $0.settings != nil && $0.source != nil } }

  func acquire() {
    guard isInForeground else { return }
    let source = state.withLock { state -> ReadSource? in
      guard !state.isClosed, setUp(&state), state.source == nil else { return nil }
      let source = ReadSource(descriptor, queue) { [weak self] in self?.read() }
      state.source = source
      return source
    }
    source?.activate()
  }

  func release() {
    let source = state.withLock { state in
      // In the background the settings are those of another process.
      if var settings = state.settings.take(), isInForeground { set(&settings) }
      return state.source.take()
    }
    source?.cancel()
  }

  /// Releases the terminal; later calls of ``acquire()`` have no effect.
  func close() {
    state.withLock { $0.isClosed = true }
    release()
  }

  /// Whether this process is in the foreground. False for a terminal that does not control this
  /// process.
  private var isInForeground: Bool { tcgetpgrp(descriptor) == getpgrp() }

  /// Changes the terminal's settings. Returns false if they cannot be read or set, as when the
  /// terminal is gone.
  private func setUp(_ state: inout State) -> Bool {
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else { return false }
    let lineMode = tcflag_t(ICANON | ECHO)
    // A shell may have restored its settings while this process was stopped.
    guard state.settings == nil || settings.c_lflag & lineMode != 0 else { return true }
    state.settings = settings
    settings.c_lflag &= ~lineMode
    withUnsafeMutableBytes(of: &settings.c_cc) {
      ($0[Int(VMIN)], $0[Int(VTIME)]) = (1, 0)
    }
    return set(&settings)
  }

  @discardableResult
  private func set(_ settings: inout termios) -> Bool {
    Self.blocking(SIGTTOU) { tcsetattr(descriptor, TCSANOW, &settings) == 0 }
  }

  /// Blocks a signal during a call. Without this, the signal would stop a background process.
  private static func blocking<Value>(_ signal: Int32, _ call: () -> Value) -> Value {
    var (set, before) = (sigset_t(), sigset_t())
    sigemptyset(&set)
    sigaddset(&set, signal)
    pthread_sigmask(SIG_BLOCK, &set, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return call()
  }

  // MARK: On the queue

  private func read() {
    let source = state.withLock(\.source)
    guard isInForeground, isAcquired else { return stop(source) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = Self.blocking(SIGTTIN) { Glibc.read(descriptor, &bytes, bytes.count) }
    guard count > 0 else {
      if count < 0, errno == EINTR || errno == EAGAIN { return }
      // EIO if the process has gone to the background. The keyboard stays open, because a later
      // `acquire()` may find the process in the foreground again.
      return stop(source, isClosed: count == 0)
    }
    let (keys, reads, isIncomplete) = state.withLock { state in
      state.reads += 1
      let keys = state.decoder.decode(bytes.prefix(count))
      return (keys, state.reads, state.decoder.isIncomplete)
    }
    for key in keys { pressed.yield(key) }
    guard isIncomplete else { return }
    queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in self?.finish(reads) }
  }

  /// Ends a sequence if no bytes have arrived since the read with this number.
  private func finish(_ reads: Int) {
    let keys = state.withLock { $0.reads == reads ? $0.decoder.finish() : [] }
    for key in keys { pressed.yield(key) }
  }

  /// Cancels a source, and removes it unless another source has replaced it.
  private func stop(_ source: ReadSource?, isClosed: Bool = false) {
    state.withLock { state in
      if isClosed { state.isClosed = true }
      if state.source === source { state.source = nil }
    }
    source?.cancel()
  }
}

/// A source of Dispatch that calls a closure while a descriptor is readable.
private final class ReadSource: Sendable {
  // SAFETY: a dispatch source may be used from any thread; its type is not `Sendable` on Linux.
  private nonisolated(unsafe) let source: any DispatchSourceRead

  init(_ descriptor: Int32, _ queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler(handler: handler)
  }

  func activate() { source.activate() }

  func cancel() { source.cancel() }
}
