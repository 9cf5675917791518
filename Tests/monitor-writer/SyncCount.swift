import CSQLite
import Glibc

/// Counts how often SQLite synchronizes a file to the disk in this process.
///
// SAFETY: installed before SQLite opens a file, then used by one thread at a time. The objects that
// SQLite keeps are never freed.
enum SyncCount {
  nonisolated(unsafe) private(set) static var count = 0
  nonisolated(unsafe) private static var system: UnsafeMutablePointer<sqlite3_vfs>?
  private typealias Methods = UnsafePointer<sqlite3_io_methods>
  /// The copies with a counting `xSync`, by SQLite's own method table.
  nonisolated(unsafe) private static var countingMethods: [Methods: Methods] = [:]
  /// SQLite's own method tables, by the copy.
  nonisolated(unsafe) private static var originalMethods: [Methods: Methods] = [:]

  static func install() {
    guard let found = sqlite3_vfs_find(nil) else { return }
    system = found
    let copy = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    copy.initialize(to: found.pointee)
    copy.pointee.pNext = nil
    // SQLite requires a distinct name for each VFS.
    copy.pointee.zName = UnsafePointer(strdup("sync-count"))
    copy.pointee.xOpen = { _, path, file, flags, outFlags in
      guard let file, let system = SyncCount.system, let open = system.pointee.xOpen else {
        return SQLITE_ERROR
      }
      let status = open(system, path, file, flags, outFlags)
      guard status == SQLITE_OK, let methods = file.pointee.pMethods else { return status }
      file.pointee.pMethods =
        SyncCount.countingMethods[methods] ?? SyncCount.makeCounting(methods)
      return status
    }
    let status = sqlite3_vfs_register(copy, 1)
    precondition(status == SQLITE_OK, "SQLite refuses the VFS: \(status)")
  }

  /// Copies a method table, and replaces its `xSync` with one that counts.
  private static func makeCounting(_ methods: Methods) -> Methods {
    let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    copy.initialize(to: methods.pointee)
    copy.pointee.xSync = { file, flags in
      SyncCount.count += 1
      guard let methods = file?.pointee.pMethods,
        let original = SyncCount.originalMethods[methods]
      else { return SQLITE_ERROR }
      return original.pointee.xSync(file, flags)
    }
    countingMethods[methods] = Methods(copy)
    originalMethods[Methods(copy)] = methods
    return Methods(copy)
  }
}
