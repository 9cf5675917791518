public import AsyncLocation
@_exported public import LocationPublishing

/// Keeps publications that wait for a broker in a SQLite file.
///
/// One publisher opens the file at a time, in one process. It is read and written on a thread of its
/// own, and only the user who created it can read it. While it is open, memory holds sums and a cache
/// of at most 8 MiB, however much waits.
///
/// Appended publications survive the end of the process, also by `kill -9`. Appends are written
/// through to the disk once a second, and when the log has 32 KiB; a loss of power may lose those
/// between, and may let removed publications wait again. A full disk refuses an append as a whole.
/// Sent publications can be removed meanwhile, except if the file was opened on the full disk, and
/// for a publication of more than 16 KiB. With its log, the file has about twice the bytes that
/// wait, and at most 64 KiB beside them.
public struct SQLitePublicationStorage: PublicationStorage {
  /// The path of the file, as it was given.
  public var identity: String? { path }

  private let path: String
  private let time: PublicationTime

  /// Creates a storage that keeps publications in a file. Nothing is opened yet.
  ///
  /// - Parameter file: A path, such as one in systemd's `$STATE_DIRECTORY`. The directory is created
  ///   with the file if it is missing. Other users must not be able to write to it.
  public init(file: String) { self.init(file: file, time: PublicationTime()) }

  /// Creates a storage with the clocks of a test.
  package init(file: String, time: PublicationTime) { (path, self.time) = (file, time) }

  /// Opens the file.
  ///
  /// The file is read once to check it. A damaged file is renamed to `<file>.corrupt-<time>`, and
  /// nothing waits; the content's `problem` then reports it. From a file that can be read but not
  /// written, the backlog is reported, and every call fails with `storageUnavailable` until the
  /// file can be written.
  ///
  /// ``/LocationPublishing/PublicationSession/removeAll(then:)`` deletes the file with its log and the damaged
  /// files that were renamed, and creates an empty file. The blocks on the disk are free then, but
  /// not overwritten. It writes the file `<file>.delete` first and removes it last: after a failure, a
  /// crash or a loss of power between, the next open deletes before it reads anything. The removals of
  /// retained messages at the beginning of what follows, up to 64 KiB of topics, are part of the
  /// deletion: they wait then, too.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   - `invalidValue` for a path that names no file;
  ///   - `unsupported` for a file of a later version or of something else, which stays as it is;
  ///   - `storageUnavailable` if the file cannot be read or created, if another publisher or program
  ///     has it open, if it is a symbolic link, or if other users can access it or write to its
  ///     directory.
  public func open(
    _ limits: PublicationLimits
  ) async throws(LocationError) -> (any PublicationSession, StoredPublications) {
    let session = StorageSession(try file())
    let stored = try await session.open()
    let publications = SQLitePublicationSession(
      session, limits, stored, now: time.start())
    return (publications, stored)
  }

  /// The file.
  func file() throws(LocationError) -> StorageFile<PublicationDatabase> {
    try StorageFile(
      path: path, of: "publications", owner: "publication queue", user: "publisher",
      schema: .publications(after: 0))
  }
}
