public import AsyncLocation

/// Keeps publications that wait for a broker.
///
/// `LocationStorage` keeps them in a SQLite file; ``MemoryPublicationStorage`` for the time of a
/// process.
public protocol PublicationStorage: Sendable {
  /// Distinguishes this storage from every other of the process. With it, a publisher knows which
  /// withdrawals of permission the last one has obeyed here. By default nil: waiting publications
  /// are then taken for older than each withdrawal that the manager has seen, and are deleted after
  /// one.
  var identity: String? { get }

  /// Opens the storage, which stays open until its session is closed or the process ends.
  ///
  /// Deletes nothing: the limits apply to each ``PublicationSession/append(_:accuracy:)``.
  ///
  /// - Returns: The session, and how much waits. The publications are read with
  ///   ``PublicationSession/publications(after:count:bytes:)``.
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/storageUnavailable`` if it cannot be read, or if it is open,
  ///   here or in another process.
  func open(
    _ limits: PublicationLimits
  ) async throws(LocationError) -> (any PublicationSession, StoredPublications)
}

extension PublicationStorage {
  public var identity: String? { nil }
}

/// An open storage of publications. Its user makes one call at a time. Releasing it closes it.
///
/// A call that fails changes nothing. A later call works when the reason is gone, such as a full
/// disk.
public protocol PublicationSession: Sendable {
  /// Appends publications, all or none, and returns once they survive the end of the process.
  ///
  /// Then drops the oldest ones, those with the lowest numbers, until the rest is within the limits.
  /// A retained one with an empty payload has the broker forget a message, and stays. With no
  /// publication, it only drops what is beyond the limits of count and bytes.
  ///
  /// - Parameters:
  ///   - publications: The publications.
  ///   - accuracy: The accuracy that was permitted when they were made. The storage keeps the highest
  ///     as ``StoredPublications/accuracy``.
  /// - Returns: The numbers of the publications, and what was dropped, which may be some of these.
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/storageUnavailable``, or
  ///   ``/AsyncLocation/LocationError/Code/invalidValue`` for a publication that no broker accepts.
  func append(
    _ publications: [PendingPublication], accuracy: AccuracyAuthorization
  ) async throws(LocationError) -> PublicationChange

  /// Reads the oldest publications after a number, in the order of their numbers.
  ///
  /// - Parameters:
  ///   - number: The number before the first; 0 for the oldest of all.
  ///   - count: The largest number of publications.
  ///   - bytes: The largest sum of their ``PendingPublication/byteCount``. A first publication that
  ///     is larger is returned alone.
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/storageUnavailable``.
  func publications(
    after number: UInt64, count: Int, bytes: Int
  ) async throws(LocationError) -> [StoredPublication]

  /// Removes publications that the broker acknowledged, all or none. Numbers that do not wait are
  /// ignored.
  ///
  /// A removal survives the end of the process. A loss of power may undo the last ones; their
  /// publications then wait again.
  ///
  /// - Returns: How much still waits.
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/storageUnavailable``.
  @discardableResult
  func remove(_ numbers: [UInt64]) async throws(LocationError) -> PublicationBacklog

  /// Deletes everything that waits, and all that is left of earlier publications. Then appends
  /// others, which need no permission: ``StoredPublications/accuracy`` is nil when they are stored,
  /// and ``StoredPublications/retainedTopics`` has the topics of the retained ones alone.
  ///
  /// A storage that outlasts the process stores the removals of retained messages with the deletion, so
  /// that no process that is killed meanwhile leaves a broker with a message that nobody removes.
  ///
  /// - Returns: The result of the append.
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/storageUnavailable``. Some may then still wait; call again.
  @discardableResult
  func removeAll(
    then publications: [PendingPublication]
  ) async throws(LocationError) -> PublicationChange

  /// Closes the storage, so that it can be opened again. Called once, last.
  func close() async
}
