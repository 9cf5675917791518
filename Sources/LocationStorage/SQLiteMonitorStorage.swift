public import AsyncLocation
import FileAccess

/// Keeps monitors in SQLite files.
///
/// Each monitor has a file, which one process opens at a time. The files are read and written on
/// threads of their own. Only the user who created a file can read it.
///
/// A committed change survives the end of the process. Conditions that were added or removed, and
/// events, also survive a loss of power.
public struct SQLiteMonitorStorage: MonitorStorage {
  private enum Place: Hashable {
    case directory(String)
    case file(String)
  }

  private let place: Place

  /// Creates a storage that keeps each monitor in the file `<name>.sqlite` of a directory.
  ///
  /// - Parameter directory: A path, such as systemd's `$STATE_DIRECTORY`. The first
  ///   ``open(_:)`` creates the directory if it is missing. Other users must not be able to write to
  ///   it.
  public init(directory: String) { place = .directory(directory) }

  /// Creates a storage that keeps one monitor, whatever its name, in a file.
  ///
  /// - Parameter file: A path. The directory is as in ``init(directory:)``.
  public init(file: String) { place = .file(file) }

  /// Opens the monitor of a name.
  ///
  /// A damaged file is renamed to `<file>.corrupt-<time>`, and the monitor starts empty; the
  /// content's `problem` then reports it. Renamed files are deleted when permission is withdrawn or
  /// reduced. From a file that can be read but not written, the content is read, and every change
  /// fails with `storageUnavailable` until the file can be written.
  ///
  /// A withdrawal writes the file `<file>.withheld` first, which is removed when no file has a location of
  /// before any more. While it is there, for example after `kill -9` or on a full disk, the content that
  /// is returned has no locations, and the file is replaced by it.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   - `invalidValue` for a name that is not valid, or a path that names no file;
  ///   - `monitorInUse` if the monitor is open, here or in another process;
  ///   - `unsupported` for a file of a later version or of something else, which stays as it is;
  ///   - `storageUnavailable` if the file cannot be read or created, if another program has locked
  ///     it, if it is a symbolic link, or if other users can access it or write to its directory.
  public func open(
    _ name: String
  ) async throws(LocationError) -> (any MonitorSession, StoredMonitor) {
    let session = StorageSession(try file(of: name))
    let stored = try await session.openMonitor()
    return (session, stored)
  }

  /// The file of a monitor.
  func file(of name: String) throws(LocationError) -> StorageFile<MonitorDatabase> {
    try Monitor.check(name: name)
    switch place {
    case .directory(let path):
      guard !path.isEmpty, !path.utf8.contains(0) else { throw Self.invalidPath }
      return Self.file(of: name, path, "\(name).sqlite")
    case .file(let path):
      guard let path = SplitPath(path) else { throw Self.invalidPath }
      return Self.file(of: name, path.folder, path.name)
    }
  }

  private static func file(
    of monitor: String, _ folder: String, _ name: String
  ) -> StorageFile<MonitorDatabase> {
    StorageFile(
      owner: "monitor", ownerName: "monitor \"\(String(printable: monitor, limit: .max))\"",
      inUse: .monitorInUse(monitor), folder: folder, name: name, schema: .monitor)
  }

  private static var invalidPath: LocationError {
    LocationError(
      .invalidValue,
      "The storage of a monitor needs the path of a directory, or of a file with a name of at most "
        + "200 bytes; it cannot contain a NUL character.")
  }
}
