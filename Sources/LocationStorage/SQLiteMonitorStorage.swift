public import AsyncLocation
import FileAccess

/// Stores monitors in SQLite files.
///
/// Each monitor has its own file, which only one process can open at a time. Each file is read and
/// written on its own thread. Only the user who created a file can read it.
///
/// A committed change survives the end of the process. Additions and removals of conditions, and
/// events, also survive a loss of power.
public struct SQLiteMonitorStorage: MonitorStorage {
  private enum Place: Hashable {
    case directory(String)
    case file(String)
  }

  private let place: Place

  /// Creates a storage that stores each monitor in the file `<name>.sqlite` of a directory.
  ///
  /// - Parameter directory: A path, such as systemd's `$STATE_DIRECTORY`. The first ``open(_:)``
  ///   creates the directory if it is missing. Other users must not be able to write to the
  ///   directory.
  public init(directory: String) { place = .directory(directory) }

  /// Creates a storage that stores one monitor in a file, whatever the monitor's name.
  ///
  /// - Parameter file: A path. Its directory must meet the requirements of ``init(directory:)``.
  public init(file: String) { place = .file(file) }

  /// Opens the monitor with a name.
  ///
  /// A damaged file is renamed to `<file>.corrupt-<time>`, and the monitor starts empty; the
  /// content's `problem` then reports it. Renamed files are deleted when permission is withdrawn or
  /// reduced. If a file can be read but not written, its content is returned, and every change
  /// throws `storageUnavailable` until the file can be written.
  ///
  /// A withdrawal of permission first writes the file `<file>.withheld`, which is removed once no
  /// file contains a location from before the withdrawal. If it still exists at the next opening,
  /// for example after `kill -9` or on a full disk, these locations are omitted from the returned
  /// content, which then replaces the content of the file.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   - `invalidValue` for a name that is not valid, or a path that names no file;
  ///   - `monitorInUse` if the monitor is open, here or in another process;
  ///   - `unsupported` for a file of a later version or of another program, which stays unchanged,
  ///     and for a SQLite library older than 3.37;
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
      return Self.file(of: name, in: path, named: "\(name).sqlite")
    case .file(let path):
      guard let path = SplitPath(path) else { throw Self.invalidPath }
      return Self.file(of: name, in: path.folder, named: path.name)
    }
  }

  private static func file(
    of monitor: String, in folder: String, named name: String
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
