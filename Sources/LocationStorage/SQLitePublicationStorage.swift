public import AsyncLocation
@_exported public import LocationPublishing

/// Stores publications that wait for a broker in a SQLite file.
///
/// Only one publisher, in any process, can have the file open at a time. The file is read and
/// written on its own thread, and only the user who created it can read it. While the file is open,
/// memory holds totals, the topics of retained messages and a cache of at most 8 MiB, however large
/// the backlog is.
///
/// Appended publications survive the end of the process, including `kill -9`. An append
/// synchronizes the file to the disk if the last synchronization is at least a second old, or if
/// the log reaches 32 KiB. A loss of power may lose the appends since the last synchronization, and
/// may restore publications that were removed. On a full disk, an append fails as a whole. Sent
/// publications can still be removed, unless the file was opened on the full disk or a publication
/// has more than 16 KiB. With its log, the file takes about twice the bytes of the backlog, plus at
/// most 64 KiB.
public struct SQLitePublicationStorage: PublicationStorage {
  /// The path of the file, as passed to the initializer.
  public var identity: String? { path }

  private let path: String
  private let time: PublicationTime

  /// Creates a storage for publications in a file. The file is not opened yet.
  ///
  /// - Parameter file: A path, such as one in systemd's `$STATE_DIRECTORY`. The directory is
  ///   created with the file if it is missing. Other users must not be able to write to the
  ///   directory.
  public init(file: String) { self.init(file: file, time: PublicationTime()) }

  /// Creates a storage with clocks for tests.
  package init(file: String, time: PublicationTime) { (path, self.time) = (file, time) }

  /// Opens the file.
  ///
  /// The file is read once to check it. A damaged file is renamed to `<file>.corrupt-<time>`, and
  /// the queue starts empty; the content's `problem` then reports it. If the file can be read but
  /// not written, its backlog is returned, and every call throws `storageUnavailable` until the
  /// file can be written.
  ///
  /// ``/LocationPublishing/PublicationSession/removeAll(then:)`` deletes the file, its log and the
  /// renamed damaged files, and creates an empty file. The freed blocks of the disk are not
  /// overwritten. The call writes the file `<file>.delete` first and removes it last: after a
  /// failure, a crash or a loss of power in between, the next open completes the deletion before it
  /// reads anything. If the publications that follow begin with removals of retained messages,
  /// these removals are part of the deletion, up to 64 KiB of topics: the new file contains them.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   - `invalidValue` for a path that names no file;
  ///   - `unsupported` for a file of a later version or of another program, which stays unchanged,
  ///     and for a SQLite library older than 3.37;
  ///   - `storageUnavailable` if the file cannot be read or created, if another publisher or
  ///     program has it open, if it is a symbolic link, or if other users can access it or write to
  ///     its directory.
  public func open(
    _ limits: PublicationLimits
  ) async throws(LocationError) -> (any PublicationSession, StoredPublications) {
    let session = StorageSession(try file())
    let stored = try await session.open()
    let publications = SQLitePublicationSession(
      session, limits, stored, now: time.start())
    return (publications, stored)
  }

  /// The storage file of the publications.
  func file() throws(LocationError) -> StorageFile<PublicationDatabase> {
    try StorageFile(
      path: path, of: "publications", owner: "publication queue", user: "publisher",
      schema: .publications(after: 0))
  }
}
