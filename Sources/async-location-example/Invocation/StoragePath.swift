import Glibc

/// Checks the file that a user names for a storage, before the storage is opened: opening creates
/// missing directories, and waits while the disk is full.
enum StoragePath {
  /// Checks that the path can be that of a file. Blocks.
  ///
  /// - Parameter option: The option that names the file.
  /// - Throws: ``UsageError`` for a file in a directory that does not exist, and for a directory.
  static func check(_ path: String, _ option: Option) throws(UsageError) {
    let folder = folder(of: path)
    var status = stat()
    guard stat(folder, &status) == 0 else {
      let reason = SystemError.text(errno)
      throw UsageError("\(option.flag): \(folder): \(reason)")
    }
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw UsageError("\(option.flag): \(path) is a directory; name a file in it")
    }
  }

  /// Checks that the file and its log can be written, so that all accepted data can be stored.
  /// Blocks.
  ///
  /// - Throws: ``UsageError`` for a file that cannot be written, and for a directory in which no
  ///   file can be created, for example because the disk is full.
  static func checkWritable(_ path: String, _ option: Option) throws(UsageError) {
    func failure(_ name: String, _ number: Int32) -> UsageError {
      UsageError("\(option.flag): \(name) cannot be written: \(SystemError.text(number))")
    }
    if access(path, W_OK) != 0, errno != ENOENT { throw failure(path, errno) }
    let folder = folder(of: path)
    var template = Array("\(folder)/.\(Help.name)-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw failure(folder, errno) }
    defer { close(descriptor) }
    unlink(template)
    let number = posix_fallocate(descriptor, 0, room)
    guard number == 0 else { throw failure(folder, number) }
  }

  /// The bytes that a queue and its log may need besides content.
  private static let room = off_t(64 << 10)

  /// The directory of a path.
  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) + "/" } ?? "."
  }
}
