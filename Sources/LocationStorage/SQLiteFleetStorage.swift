public import AsyncLocation
package import FoundationEssentials
@_exported public import LocationFleet

/// Stores a fleet and its history in a SQLite file.
///
/// Only one fleet, in any process, can have the file open at a time. The file is read and written
/// on its own thread, and only the user who created it can read it.
///
/// Committed changes survive the end of the process, including `kill -9`. Commits with events,
/// conditions, erasures, or locations that a device wants confirmed also survive a loss of power.
/// A loss of power may lose other commits that the system has not yet written to the disk.
///
/// Locations are stored exactly, in about 12 bytes each if they come from OwnTracks. If a device
/// has several locations with the same time, the history stores the first one.
public struct SQLiteFleetStorage: FleetStorage {
  /// Whether ``open()`` renames a damaged file and creates a new one; true by default. If false,
  /// ``open()`` throws `storageUnavailable` for a damaged file and leaves it unchanged. Set it to
  /// false in a program that only reads the history.
  public var setsDamagedFilesAside = true

  private let path: String
  private let retention: Duration?
  private let now: @Sendable () -> Date

  /// Creates a storage for a fleet in a file. The file is not opened yet.
  ///
  /// - Parameters:
  ///   - file: A path, such as one in systemd's `$STATE_DIRECTORY`. The directory is created with
  ///     the file if it is missing. Other users must not be able to write to the directory.
  ///   - retention: The age beyond which locations are deleted from the history. They are deleted
  ///     when the fleet stores changes, at intervals of an hour, or of a tenth of the age if that
  ///     is shorter. Nil retains all locations. The last location of each device is always
  ///     retained.
  public init(file: String, retention: Duration? = nil) {
    self.init(file: file, retention: retention, now: { Date() })
  }

  /// Creates a storage with a clock for tests.
  package init(file: String, retention: Duration?, now: @escaping @Sendable () -> Date) {
    (path, self.retention, self.now) = (file, retention, now)
  }

  /// Opens the file.
  ///
  /// A damaged file is renamed to `<file>.corrupt-<time>`, and a new one is created; the content's
  /// `problem` then reports it. If only rows of devices, conditions or events are damaged, they are
  /// skipped; `problem` reports them, too. A damaged part of the history causes an error when it is
  /// read; the rest of the file can still be read and written.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   - `invalidValue` for a path that names no file, and for a retention below a second;
  ///   - `unsupported` for a file of a later version or of another program, which stays unchanged,
  ///     and for a SQLite library older than 3.37;
  ///   - `storageUnavailable` if the file cannot be read, written or created, if another fleet or
  ///     program has it open, if it is a symbolic link, or if other users can access it or write to
  ///     its directory.
  public func open() async throws(LocationError) -> (any FleetSession, StoredFleet) {
    try FleetRetention.check(retention)
    let session = StorageSession(try file())
    let stored = try await session.open()
    let identity = try await session.read { (database) throws(SQLiteFailure) in database.identity }
    return (
      SQLiteFleetSession(session, identity: identity, retention: retention, now: now), stored
    )
  }

  /// The storage file of the fleet.
  func file() throws(LocationError) -> StorageFile<FleetDatabase> {
    var file = try StorageFile<FleetDatabase>(
      path: path, of: "a fleet", owner: "fleet", user: "fleet", schema: .fleet)
    file.setsDamagedAside = setsDamagedFilesAside
    return file
  }
}
