import FileAccess
import Glibc

/// A folder for copies of files. The folder and the copies are removed when the value is destroyed.
struct TemporaryFolder: ~Copyable {
  let folder: Folder
  private let names: [String]

  private init(_ folder: Folder, _ names: [String]) {
    self.folder = folder
    self.names = names
  }

  /// Creates a folder, in memory if possible, so that no copy survives a reboot.
  ///
  /// - Parameter names: The names of the files that are removed with the folder.
  static func create(removing names: [String]) throws(SystemFailure) -> Self {
    var failure = SystemFailure(ENOENT)
    for parent in ["/dev/shm", "/tmp"] {
      var path = Array("\(parent)/async-location-XXXXXX".utf8CString)
      if unsafe mkdtemp(&path) != nil {
        let folder = try Folder(
          resolving:
            String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
        return Self(folder, names)
      }
      failure = SystemFailure(errno)
    }
    throw failure
  }

  deinit {
    for name in names { try? folder.remove(name) }
    _ = unsafe rmdir(folder.path)
  }
}
