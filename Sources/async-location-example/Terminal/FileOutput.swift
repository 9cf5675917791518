import Dispatch
import Glibc

/// Writes to a descriptor without buffering, outside the cooperative thread pool, since a reader
/// may be slow.
final class FileOutput: TextOutput {
  private let descriptor: Int32
  /// A pipe that becomes readable when the tool has to stop.
  private let interruption: (reading: Int32, writing: Int32)
  private let queue: DispatchQueue

  /// `PIPE_BUF`, the number of bytes that a writable pipe accepts without blocking.
  private static let chunk = 4096
  /// The milliseconds that a reader has to free buffer space after the tool has to stop.
  private static let grace: Int32 = 250

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    // Stays -1 without free descriptors; `interrupt` then does nothing.
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    interruption = (ends[0], ends[1])
    queue = DispatchQueue(label: "output-\(descriptor)")
  }

  deinit {
    close(interruption.reading)
    close(interruption.writing)
  }

  func write(_ text: String) async throws(OutputError) {
    let bytes = Array(text.utf8)
    let failure = await withCheckedContinuation { caller in
      queue.async { caller.resume(returning: self.failure(writing: bytes)) }
    }
    if let failure { throw failure }
  }

  /// Ends waits for a reader that does not read: a write then fails after ``grace``.
  func interrupt() {
    _ = Glibc.write(interruption.writing, [0], 1)
  }

  /// Writes all bytes; returns the failure, if any.
  private func failure(writing bytes: [UInt8]) -> OutputError? {
    var rest = bytes[...]
    while !rest.isEmpty {
      if let failure = awaitRoom() { return failure }
      let written = rest.prefix(Self.chunk).withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if written >= 0 {
        rest = rest.dropFirst(written)
      } else if errno == EPIPE {
        return .closed
      } else if errno != EINTR, errno != EAGAIN {
        return .failed(errno)
      }
    }
    return nil
  }

  /// Waits until the descriptor is writable; returns the failure, if any.
  private func awaitRoom() -> OutputError? {
    let writable = Int16(POLLOUT)
    while true {
      var waits = [
        pollfd(fd: descriptor, events: writable, revents: 0),
        // Ignored when negative.
        pollfd(fd: interruption.reading, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&waits, 2, -1) >= 0 else {
        if errno == EINTR { continue }
        return .failed(errno)
      }
      if waits[0].revents != 0 { return nil }  // The write reports an error.
      guard poll(&waits, 1, Self.grace) != 0 else { return .interrupted }
    }
  }
}
