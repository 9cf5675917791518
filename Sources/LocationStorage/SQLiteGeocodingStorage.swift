public import AsyncLocation
import FoundationEssentials

/// Keeps the answers of a ``/AsyncLocation/CachingGeocoder`` in a SQLite file, for the next run of
/// the program.
///
/// The file is for one geocoder: another one's answers would be taken for its own. One cache opens
/// it at a time, in one process. It is read and written on a thread of its own, and contains the
/// points and names that were requested; only the user who created it can read it.
public struct SQLiteGeocodingStorage: Sendable {
  private let path: String

  /// Creates a storage that keeps the answers in a file. Nothing is opened yet.
  ///
  /// - Parameter file: A path, such as one in systemd's `$CACHE_DIRECTORY`. The directory is created
  ///   with the file if it is missing. Other users must not be able to write to it.
  public init(file: String) { path = file }

  /// The file.
  func file() throws(LocationError) -> StorageFile<GeocodingDatabase> {
    try StorageFile(
      path: path, of: "a geocoding cache", owner: "geocoding cache", user: "cache",
      schema: .geocoding)
  }
}

extension CachingGeocoder {
  /// Creates a cache with the answers of earlier runs.
  ///
  /// All answers of the file are read now, and answers are stored a moment after they arrive, so no
  /// caller waits for the disk. Answers survive `kill -9`; the last ones may be lost with the power.
  /// The age of an answer includes the time between the runs, by the system's clock: if the clock
  /// was set back, an answer with a date that is still to come counts as new, and one that is later
  /// by more than the maximum age is dropped. When the cache is full, the answer that was given
  /// first gives way after a restart; the order of use is not stored.
  ///
  /// A damaged file is renamed to `<file>.corrupt-<time>`, and the cache starts empty;
  /// ``/AsyncLocation/CachingGeocoder/storageProblem`` then reports it. From a file that can be
  /// read but not written, the answers are read; the first change then fails, and the cache goes on
  /// in memory. ``/AsyncLocation/CachingGeocoder/close()`` lets another cache open the file; a
  /// cache that is released without it does so a moment later.
  ///
  /// - Parameters:
  ///   - geocoder: Answers what is not in the cache.
  ///   - storage: The file.
  ///   - configuration: The bounds of the cache; also of the file.
  ///   - clock: Measures the age of answers while the program runs.
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   - `invalidValue` for a path that names no file;
  ///   - `unsupported` for a file of a later version or of something else, which stays as it is;
  ///   - `storageUnavailable` if the file cannot be read or created, if another cache or program has
  ///     it open, if it is a symbolic link, or if other users can access it or write to its
  ///     directory.
  public convenience init(
    _ geocoder: any Geocoder, storage: SQLiteGeocodingStorage,
    configuration: Configuration = Configuration(), clock: any Clock<Duration> = .continuous
  ) async throws(LocationError) {
    try await self.init(
      geocoder, storage: storage, configuration: configuration, clock: clock, date: { Date() })
  }

  /// Creates a cache as above, with a clock of a test.
  ///
  /// - Parameter date: The system's clock.
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
