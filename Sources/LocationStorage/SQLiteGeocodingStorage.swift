public import AsyncLocation
import FoundationEssentials

/// Stores the answers of a ``/AsyncLocation/CachingGeocoder`` in a SQLite file, for the next run of
/// the program.
///
/// Use one file per geocoder: a cache does not distinguish the stored answers of different
/// geocoders. Only one cache, in any process, can have the file open at a time. The file is read
/// and written on its own thread. It contains the requested points and names; only the user who
/// created it can read it.
public struct SQLiteGeocodingStorage: Sendable {
  private let path: String

  /// Creates a storage for the answers in a file. The file is not opened yet.
  ///
  /// - Parameter file: A path, such as one in systemd's `$CACHE_DIRECTORY`. The directory is
  ///   created with the file if it is missing. Other users must not be able to write to the
  ///   directory.
  public init(file: String) { path = file }

  /// The storage file of the cache.
  func file() throws(LocationError) -> StorageFile<GeocodingDatabase> {
    try StorageFile(
      path: path, of: "a geocoding cache", owner: "geocoding cache", user: "cache",
      schema: .geocoding)
  }
}

extension CachingGeocoder {
  /// Creates a cache with the answers of earlier runs.
  ///
  /// All answers in the file are read before this returns. New answers are stored a moment after
  /// they arrive, so no caller waits for the disk. Answers survive `kill -9`; a loss of power may
  /// lose the last ones. The age of an answer includes the time between runs, measured with the
  /// system's clock. If that clock was set back, an answer dated in the future counts as new; it is
  /// dropped if its date is later by more than the maximum age. The order of use is not stored:
  /// after a restart, a full cache first evicts its oldest answers.
  ///
  /// A damaged file is renamed to `<file>.corrupt-<time>`, and the cache starts empty;
  /// ``/AsyncLocation/CachingGeocoder/storageProblem`` then reports it. If the file can be read but
  /// not written, its answers are read; the first change then fails, and the cache continues in
  /// memory. After ``/AsyncLocation/CachingGeocoder/close()``, another cache can open the file. If
  /// a cache is released without that call, its file is closed a moment later.
  ///
  /// - Parameters:
  ///   - geocoder: The geocoder for queries whose answers are not in the cache.
  ///   - storage: The storage file of the cache.
  ///   - configuration: The limits of the cache and of the file.
  ///   - clock: The clock for the age of answers while the program runs.
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   - `invalidValue` for a path that names no file;
  ///   - `unsupported` for a file of a later version or of another program, which stays unchanged,
  ///     and for a SQLite library older than 3.37;
  ///   - `storageUnavailable` if the file cannot be read or created, if another cache or program
  ///     has it open, if it is a symbolic link, or if other users can access it or write to its
  ///     directory.
  public convenience init(
    _ geocoder: any Geocoder, storage: SQLiteGeocodingStorage,
    configuration: Configuration = Configuration(), clock: any Clock<Duration> = .continuous
  ) async throws(LocationError) {
    try await self.init(
      geocoder, storage: storage, configuration: configuration, clock: clock, date: { Date() })
  }

  /// Creates a cache with the answers of earlier runs and a replaceable system clock, for tests.
  ///
  /// - Parameter date: Returns the current date.
  convenience init(
    _ geocoder: any Geocoder, storage: SQLiteGeocodingStorage,
    configuration: Configuration = Configuration(), clock: any Clock<Duration>,
    date: @escaping @Sendable () -> Date
  ) async throws(LocationError) {
    let session = StorageSession(try storage.file())
    let stored = try await session.open()
    self.init(
      geocoder, configuration: configuration, clock: clock, session: session, stored: stored,
      date: date)
  }
}
