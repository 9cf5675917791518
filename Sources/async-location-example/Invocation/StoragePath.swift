import Glibc

/// Checks the file that a user names for a storage, before the storage is opened, since that creates
/// missing directories.
enum StoragePath {
  /// - Parameter option: The option that names the file.
  /// - Throws: ``UsageError`` for a file in a directory that does not exist, and for a directory.
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
  }
}
