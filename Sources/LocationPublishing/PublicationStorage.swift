public import AsyncLocation

/// Stores publications until a broker has acknowledged them.
///
/// `SQLitePublicationStorage` in the module `LocationStorage` uses a file,
/// ``MemoryPublicationStorage`` the memory of the process.
public protocol PublicationStorage: Sendable {
  /// Identifies this storage among all storages of the process; nil by default.
  ///
  /// A publisher uses it to look up which withdrawals of permission were already applied to the
  /// storage. Without an identity, pending publications count as older than every withdrawal that
  /// the manager has observed, and are deleted if there was one.
  var identity: String? { get }

  /// Opens the storage, which stays open until its session is closed or the process ends.
  ///
  /// Deletes nothing: the limits apply to each ``PublicationSession/append(_:accuracy:)``.
  ///
  /// - Returns: The session, and the state of the storage. The publications are read with
  ///   ``PublicationSession/publications(after:count:bytes:)``.
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/storageUnavailable`` if the storage cannot be read, or
  ///   is already open in this or another process.
  func open(
    _ limits: PublicationLimits
  ) async throws(LocationError) -> (any PublicationSession, StoredPublications)
}

extension PublicationStorage {
  public var identity: String? { nil }
}

/// An open storage of publications. Its methods are called one at a time. Releasing the session
/// closes the storage.
///
/// A call that throws changes nothing, except `removeAll(then:)`. A later call succeeds once the
/// cause, such as a full disk, is gone.
public protocol PublicationSession: Sendable {
  /// Appends publications, all or none. In a storage that outlasts the process, they survive the
  /// end of the process once the call has returned.
  ///
  /// Then drops the oldest publications, those with the lowest numbers, until the rest is within
  /// the limits. A retained publication with an empty payload removes a message that the broker
  /// retains, and is never dropped. A call without publications records the accuracy, and drops
  /// publications beyond the limits of count and bytes.
  ///
  /// - Parameters:
  ///   - publications: The publications.
  ///   - accuracy: The accuracy that was permitted when they were made. The storage records the
  ///     highest accuracy as ``StoredPublications/accuracy``.
  /// - Returns: The numbers of the publications, and the counts of dropped ones, which may include
  ///   new publications.
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/storageUnavailable``, or
  ///   ``/AsyncLocation/LocationError/Code/invalidValue`` for a publication whose topic, payload or
  ///   date is out of range.
  func append(
    _ publications: [PendingPublication], accuracy: AccuracyAuthorization
  ) async throws(LocationError) -> PublicationChange

  /// Reads the oldest publications after a number, in the order of their numbers.
  ///
  /// - Parameters:
  ///   - number: The number after which to begin; 0 to begin with the oldest publication.
  ///   - count: The maximum number of publications.
  ///   - bytes: The maximum sum of their ``PendingPublication/byteCount``. If the first publication
  ///     is larger, it is returned alone.
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/storageUnavailable``.
  func publications(
    after number: UInt64, count: Int, bytes: Int
  ) async throws(LocationError) -> [StoredPublication]

  /// Removes publications that the broker acknowledged, all or none. Numbers without a pending
  /// publication are ignored.
  ///
  /// In a storage that outlasts the process, the effect survives the end of the process once the
  /// call has returned. A loss of power may undo the last calls; the publications are then pending
  /// again.
  ///
  /// - Returns: The remaining backlog.
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/storageUnavailable``.
  @discardableResult
  func remove(_ numbers: [UInt64]) async throws(LocationError) -> PublicationBacklog

  /// Deletes all pending publications and all traces of earlier ones, then appends other
  /// publications.
  ///
  /// The appended publications need no permission: ``StoredPublications/accuracy`` is nil once they
  /// are stored, and ``StoredPublications/retainedTopics`` has only the topics of the retained ones
  /// among them.
  ///
  /// If the publications begin with removals of retained messages, a storage that outlasts the
  /// process commits these removals together with the deletion. Otherwise, a killed process could
  /// leave a retained message at the broker that is never removed.
  ///
  /// - Returns: The result of the append.
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/invalidValue`` for an invalid publication, before
  ///   anything is deleted, or ``/AsyncLocation/LocationError/Code/storageUnavailable``. After the
  ///   latter, some publications may still be pending; call again.
  @discardableResult
  func removeAll(
    then publications: [PendingPublication]
  ) async throws(LocationError) -> PublicationChange

  /// Closes the storage, so that it can be opened again. Called once, after all other calls.
  func close() async
}
