import Dispatch
import Glibc

/// Reads a file, or standard input for the path `-`, piece by piece.
///
/// Reads outside the cooperative thread pool, since a pipe or a terminal may be slow.
final class RecordingInput: Sendable {
  private static let chunk = 1 << 15

  /// The length of a regular file in bytes; nil for anything else.
  let length: Int?
  private let descriptor: Int32
  /// A pipe that becomes readable when reading is cancelled.
  private let cancellation: (reading: Int32, writing: Int32)
  private let queue = DispatchQueue(label: "recording-input")

  /// - Throws: ``FileFault`` if the file cannot be opened.
  init(path: String) throws(FileFault) {
    // Without `O_NONBLOCK`, opening a FIFO would wait for a writer and could not be cancelled.
    let descriptor =
      path == "-"
      ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
      : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileFault(path, "cannot be opened", errno) }
    if path != "-" { _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) }
    var information = stat()
    let isFile = fstat(descriptor, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
    length = isFile ? Int(information.st_size) : nil
    self.descriptor = descriptor
    // Stays -1 without free descriptors; a wait for a slow pipe then cannot be cancelled.
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    cancellation = (ends[0], ends[1])
  }

  deinit {
    for descriptor in [descriptor, cancellation.reading, cancellation.writing] { close(descriptor) }
  }

  /// Returns the next bytes; nil at the end.
  ///
  /// - Throws: `SystemFault` with the system's error number, or `CancellationError`.
  func read() async throws -> [UInt8]? {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { caller in
        queue.async { caller.resume(returning: self.readNow()) }
      }
    } onCancel: {
      _ = Glibc.write(cancellation.writing, [0], 1)
    }
    return try result.get()
  }

  private func readNow() -> Result<[UInt8]?, any Error> {
    while true {
      let readable = Int16(POLLIN)
      var waits = [
        pollfd(fd: descriptor, events: readable, revents: 0),
        pollfd(fd: cancellation.reading, events: readable, revents: 0),  // Ignored when negative.
      ]
      if poll(&waits, 2, -1) < 0, errno != EINTR { return .failure(SystemFault(number: errno)) }
      if waits[1].revents != 0 { return .failure(CancellationError()) }
      guard waits[0].revents != 0 else { continue }
      var count = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: Self.chunk) { buffer, length in
        count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        length = max(0, count)
      }
      if count > 0 { return .success(bytes) }
      if count == 0 { return .success(nil) }
      if errno != EINTR { return .failure(SystemFault(number: errno)) }
    }
  }
}

/// A failure of a system call.
struct SystemFault: Error { let number: Int32 }

/// A file that cannot be read or written, and why.
struct FileFault: Error, Hashable, CustomStringConvertible {
  let path: String
  let reason: String

  init(_ path: String, _ reason: String) { (self.path, self.reason) = (path, reason) }

  init(_ path: String, _ action: String, _ number: Int32) {
    self.init(path, "\(action): \(SystemError.text(number))")
  }

  var description: String { "\(Self.name(path)): \(reason)" }

  /// The path for messages.
  static func name(_ path: String) -> String { path == "-" ? "standard input" : path }
}
