import Glibc

/// A new file for a picture. It may show where somebody lives, so only its owner can read it.
struct PictureFile: Sendable {
  /// The kinds of pictures, by the ending of the name.
  enum Kind: String, CaseIterable { case svg, html }

  let path: String
  let kind: Kind

  /// - Throws: ``UsageError`` for a name with another ending than `.svg` and `.html`.
  init(_ path: String, kinds: [Kind] = Kind.allCases, of command: Command) throws(UsageError) {
    let name = path.lowercased()
    guard let kind = kinds.first(where: { name.hasSuffix("." + $0.rawValue) }) else {
      let endings = kinds.map { "." + $0.rawValue }.joined(separator: " or ")
      throw UsageError(
        "'\(Escaping.escape(path, limit: 60))' does not end in \(endings)", command: command)
    }
    (self.path, self.kind) = (path, kind)
  }

  /// Rejects a path that ``write(_:replacing:)`` would reject, before any work.
  ///
  /// - Parameter replacing: Whether to replace a file. Anything else, such as a link, is kept.
  func check(replacing: Bool) throws(UsageError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw UsageError("\(path) exists and is not a regular file; name another")
    }
    guard replacing else {
      throw UsageError("\(path) exists; --force replaces it")
    }
  }

  /// Creates the file as a whole: no reader sees a part of it, and a failure leaves nothing.
  ///
  /// - Throws: ``UsageError`` if the path exists, ``OutputError`` if it cannot be written.
  func write(_ text: String, replacing: Bool) throws {
    try check(replacing: replacing)
    var template = Array((path + ".XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)  // Creates it with mode 0600.
    guard descriptor >= 0 else { throw OutputError.failed(errno) }
    var failure = Self.fill(descriptor, Array(text.utf8))
    if close(descriptor) != 0, failure == nil { failure = errno }
    if failure == nil {
      // A link fails where a file appeared meanwhile; a renamed file would replace it.
      let status = replacing ? rename(template, path) : link(template, path)
      if status != 0 { failure = errno }
    }
    if failure != nil || !replacing { unlink(template) }
    guard let failure else { return }
    if failure == EEXIST { throw UsageError("\(path) exists; --force replaces it") }
    throw OutputError.failed(failure)
  }

  /// The system's error number; nil when all bytes are on the disk.
  private static func fill(_ descriptor: Int32, _ bytes: [UInt8]) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written >= 0 {
        rest = rest.dropFirst(written)
      } else if errno != EINTR {
        return errno
      }
    }
    return fsync(descriptor) == 0 ? nil : errno
  }
}
