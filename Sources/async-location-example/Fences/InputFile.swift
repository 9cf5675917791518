import Glibc

/// Reads a file that the user names.
struct InputFile: Sendable {
  static let maximumLength = 256 << 20

  let path: String

  /// Returns the whole file.
  ///
  /// - Throws: ``UsageError`` with the path and the reason.
  func read() throws(UsageError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw fault("cannot be opened: \(SystemError.text(errno))") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw fault("cannot be read: \(SystemError.text(errno))") }
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
      guard bytes.count <= Self.maximumLength else {
        throw fault("is longer than \(Self.maximumLength >> 20) MB")
      }
    }
  }

  private func fault(_ text: String) -> UsageError { UsageError("\(path): \(text)") }
}
