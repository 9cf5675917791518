import AsyncLocation
import FoundationEssentials
import LocationPublishing

/// A session on an open publication file. After a failure, the next call opens the file again.
actor SQLitePublicationSession: PublicationSession {
  private let session: StorageSession<PublicationDatabase>
  private let limits: PublicationLimits
  private let now: @Sendable () -> Date
  /// The last number that was assigned, even if the file that contains it has been set aside since.
  private var lastNumber: UInt64
  private var retainedTopics: Set<ExactText>
  /// The problem found when the file was opened again, until it is reported.
  private var problem: LocationError?

  /// Runs the actor on the thread of its file.
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe session.unownedExecutor }

  init(
    _ session: StorageSession<PublicationDatabase>, _ limits: PublicationLimits,
    _ stored: StoredPublications, now: @escaping @Sendable () -> Date
  ) {
    (self.session, self.limits, self.now) = (session, limits, now)
    lastNumber = stored.lastNumber
    retainedTopics = Set(stored.retainedTopics.map(ExactText.init))
  }

  func append(
    _ publications: [PendingPublication], accuracy: AccuracyAuthorization
  ) async throws(LocationError) -> PublicationChange {
    try PendingPublication.check(publications)
    return try await write(publications, accuracy)
  }

  private func write(
    _ publications: [PendingPublication], _ accuracy: AccuracyAuthorization?
  ) async throws(LocationError) -> PublicationChange {
    let (limits, number, now) = (limits, lastNumber, now())
    var change = try await access("write") { (database) throws(SQLiteFailure) in
      try database.append(publications, accuracy: accuracy, after: number, limits, now: now)
    }
    lastNumber = change.numbers.upperBound - 1
    retainedTopics.formUnion(publications.lazy.compactMap(\.retainedTopic))
    (change.problem, problem) = (problem, nil)
    return change
  }

  func publications(
    after number: UInt64, count: Int, bytes: Int
  ) async throws(LocationError) -> [StoredPublication] {
    try await access("read") { (database) throws(SQLiteFailure) in
      try database.publications(after: number, count: count, bytes: bytes)
    }
  }

  func remove(_ numbers: [UInt64]) async throws(LocationError) -> PublicationBacklog {
    try await access("write") { (database) throws(SQLiteFailure) in
      try database.remove(numbers)
      return database.backlog
    }
  }

  func removeAll(
    then publications: [PendingPublication]
  ) async throws(LocationError) -> PublicationChange {
    try PendingPublication.check(publications)
    // The removals at the beginning are stored with the deletion: a killed process leaves both or
    // neither.
    let remainder = PublicationRemainder(
      lastNumber: lastNumber, retainedTopics: retainedTopics, then: publications)
    try await session.replaceFile(keeping: remainder.description)
    let first = lastNumber + 1
    lastNumber += UInt64(remainder.removals.count)
    // A nil accuracy clears the stored accuracy and topics of earlier messages that the broker may
    // retain.
    var change = try await write(Array(publications.dropFirst(remainder.removals.count)), nil)
    change.numbers = first..<change.numbers.upperBound
    retainedTopics = Set(publications.lazy.filter(\.isRetained).map { ExactText($0.topic) })
    return change
  }

  func close() async { await session.close() }

  /// Accesses the file, which is opened again after a failure.
  ///
  /// - Parameter verb: The verb in the error: `read` or `write`.
  private func access<Result: Sendable>(
    _ verb: String,
    _ body: @Sendable (PublicationDatabase) throws(SQLiteFailure) -> Result
  ) async throws(LocationError) -> Result {
    if let stored = try await session.reopen(), let found = stored.problem { problem = found }
    return try await session.access(verb, body)
  }
}
