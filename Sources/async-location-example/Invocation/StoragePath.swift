import Glibc

/// Checks the file that a user names for a storage, before the storage is opened: the storage creates
/// missing directories, and renames a file that it cannot read, which may be another file of the user.
enum StoragePath {
  /// The beginning of every SQLite file.
  private static let signature = Array("SQLite format 3\0".utf8)

  /// - Parameter option: The option that names the file.
  /// - Throws: ``UsageError`` for a file in a directory that does not exist, for a directory, and for a
  ///   file that is no database.
  static func check(_ path: String, _ option: Option) throws(UsageError) {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) + "/" } ?? "."
    var status = stat()
    guard stat(folder, &status) == 0 else {
      let reason = SystemError.text(errno)
      throw UsageError("\(option.flag): \(folder): \(reason)")
    }
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw UsageError("\(option.flag): \(path) is a directory; name a file in it")
    }
    guard let start = start(of: path), !isDatabase(start) else { return }
    throw UsageError(
      "\(option.flag): \(path) is not a database; it is left as it is. Name another file")
  }

  /// The first bytes of a regular file; nil if there is none that can be read.
  private static func start(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    var bytes = [UInt8](repeating: 0, count: signature.count)
    let count = read(descriptor, &bytes, bytes.count)
    return count < 0 ? nil : Array(bytes.prefix(count))
  }

  /// True for a database, also for one of which a crash left only a part, or zeros.
  private static func isDatabase(_ start: [UInt8]) -> Bool {
    signature.starts(with: start) || start.allSatisfy { $0 == 0 }
  }
}
