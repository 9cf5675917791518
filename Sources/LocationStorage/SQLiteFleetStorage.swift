public import AsyncLocation
package import FoundationEssentials
@_exported public import LocationFleet

/// Keeps a fleet and its history in a SQLite file.
///
/// One fleet opens the file at a time, in one process. It is read and written on a thread of its own, and
/// only the user who created it can read it.
///
/// What is committed survives the end of the process, also by `kill -9`. Commits with events or conditions
/// also survive a loss of power; of others it may lose the last seconds. Locations are kept exactly, in
/// about 12 bytes each if they come from OwnTracks. A location of a device with a time that is stored
/// changes nothing.
public struct SQLiteFleetStorage: FleetStorage {
  /// Whether ``open()`` renames a damaged file and begins a new one; true by default. Otherwise it throws
  /// `storageUnavailable`, and the file stays as it is, such as for a program that only reads the history.
  public var setsDamagedFilesAside = true

  private let path: String
  private let retention: Duration?
  private let now: @Sendable () -> Date

  /// Creates a storage that keeps a fleet in a file. Nothing is opened yet.
  ///
  /// - Parameters:
  ///   - file: A path, such as one in systemd's `$STATE_DIRECTORY`. The directory is created with the file
  ///     if it is missing. Other users must not be able to write to it.
  ///   - retention: The age beyond which locations of the history are deleted, while the fleet stores
  ///     others: after an hour, or a tenth of the age if that is shorter. Nil keeps all. The last location
  ///     of each device stays.
  public init(file: String, retention: Duration? = nil) {
    self.init(file: file, retention: retention, now: { Date() })
  }

  /// Creates a storage with the clock of a test.
  package init(file: String, retention: Duration?, now: @escaping @Sendable () -> Date) {
    (path, self.retention, self.now) = (file, retention, now)
  }

  /// Opens the file.
  ///
  /// A damaged file is renamed to `<file>.corrupt-<time>`, and a new one is begun; the content's `problem`
  /// then reports it. Of a sound file, a damaged row of a device, a condition or an event is left out, which
  /// `problem` reports, too. Damage within the history is found when it is read: the rest can be read and
  /// written.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   - `invalidValue` for a path that names no file, and for a retention below a second;
  ///   - `unsupported` for a file of a later version or of something else, which stays as it is;
  ///   - `storageUnavailable` if the file cannot be read, written or created, if another fleet or program
  ///     has it open, if it is a symbolic link, or if other users can access it or write to its directory.
  public func open() async throws(LocationError) -> (any FleetSession, StoredFleet) {
    try FleetRetention.check(retention)
    let session = StorageSession(try file())
    let stored = try await session.open()
    let identity = try await session.read { (database) throws(SQLiteFailure) in database.identity }
    return (
      SQLiteFleetSession(session, identity: identity, retention: retention, now: now), stored
    )
  }

  /// The file.
  func file() throws(LocationError) -> StorageFile<FleetDatabase> {
    var file = try StorageFile<FleetDatabase>(
      path: path, of: "a fleet", owner: "fleet", user: "fleet", schema: .fleet)
    file.setsDamagedAside = setsDamagedFilesAside
    return file
  }
}
