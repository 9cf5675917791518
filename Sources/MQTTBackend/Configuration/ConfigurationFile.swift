import AsyncLocation
import Glibc

/// An open regular file that a configuration names. Blocks while it is opened and read.
struct ConfigurationFile: ~Copyable {
  private let path: String
  /// The content of the file, at the beginning of a sentence: `The client's key`.
  private let content: String
  private let descriptor: Int32
  private let status: stat

  init(_ path: String, content: String) throws(LocationError) {
    // Opening a FIFO would wait for a writer.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.unreadable(path, content, Self.systemReason) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw Self.unreadable(path, content, "it is not a regular file")
    }
    (self.path, self.content, self.descriptor, self.status) = (path, content, descriptor, status)
  }

  deinit { close(descriptor) }

  /// Rejects a file that other users can access.
  ///
  /// - Parameter allowsGroup: Whether a group may read a file of root.
  func requirePrivacy(allowsGroup: Bool = false) throws(LocationError) {
    let forbidden: mode_t = allowsGroup && status.st_uid == 0 ? 0o037 : 0o077
    guard status.st_mode & forbidden == 0 else {
      throw LocationError(
        .invalidValue,
        "Other users can access \(content.lowercasedFirst) in \(Self.printable(path)); run chmod 600 "
          + "on it.")
    }
  }

  /// The first bytes, as many as there are up to a limit.
  func read(limit: Int) throws(LocationError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    var length = 0
    while length < limit {
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe Glibc.read(descriptor, $0.baseAddress! + length, limit - length)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.unreadable(path, content, Self.systemReason) }
      if count == 0 { break }
      length += count
    }
    return Array(bytes.prefix(length))
  }

  /// The error for a content that is not what it should be.
  func unreadable(_ reason: String) -> LocationError { Self.unreadable(path, content, reason) }

  private static func unreadable(
    _ path: String, _ content: String, _ reason: String
  ) -> LocationError {
    LocationError(
      .invalidValue, "\(content) cannot be read from \(printable(path)): \(reason).")
  }

  private static var systemReason: String { unsafe String(cString: strerror(errno)) }

  private static func printable(_ path: String) -> String { String(printable: path, limit: 200) }
}
