import AsyncLocation
import FoundationEssentials
import LocationPublishing

/// The open storage of a publisher. Calls run one at a time, in the order in which they were made.
///
/// Callers resume in any order. So a closure applies the change of a call before the next call
/// begins: the last applied backlog is that of the storage.
actor PublicationStore {
  private let storage: any PublicationStorage
  private let limits: PublicationLimits
  private var session: (any PublicationSession)?
  private var last: Task<Void, Never>?
  /// Publications of an earlier generation are not stored any more.
  private var generation: UInt64 = 0
  /// The numbers of the removals that a deletion appended and that are still pending.
  private var replacements: Set<UInt64> = []
  /// The time of the last location.
  private var lastTime: Date?

  init(_ storage: any PublicationStorage, _ limits: PublicationLimits) {
    (self.storage, self.limits) = (storage, limits)
  }

  /// Runs a call after all calls that began before it. The call continues if its caller is
  /// cancelled.
  private func inTurn<Value: Sendable>(
    _ call: @escaping @Sendable () async throws(LocationError) -> Value
  ) async throws(LocationError) -> Value {
    let previous = last
    let task = Task<Result<Value, LocationError>, Never> {
      await previous?.value
      do throws(LocationError) { return .success(try await call()) } catch {
        return .failure(error)
      }
    }
    last = Task { _ = await task.value }
    return try await task.value.get()
  }

  nonisolated var identity: String? { storage.identity }

  /// Opens the storage. Called once.
  func open() async throws(LocationError) -> StoredPublications {
    let (storage, limits) = (storage, limits)
    let opened = try await inTurn { () throws(LocationError) in try await storage.open(limits) }
    session = opened.0
    // Removals that a deletion in an earlier run appended are first. Reading throws while the file
    // cannot be written.
    let first = try? await publications(after: 0, count: 1_000)
    replacements = Set((first ?? []).prefix { $0.publication.isRemoval }.map(\.number))
    return opened.1
  }

  private func opened() throws(LocationError) -> any PublicationSession {
    guard let session else { throw .publisherDoesNotRun }
    return session
  }

  /// Appends locations or other messages. Returns nil if everything was deleted since the
  /// publications were made, or if they are no longer wanted.
  ///
  /// Other messages get the time of the last location, so that they do not make the older locations
  /// of a replay exceed the age limit.
  ///
  /// - Parameters:
  ///   - isWanted: Returns whether the publications are still wanted. Called after the changes of
  ///     earlier calls have been applied.
  ///   - apply: Applies the change, in the order of the calls.
  func append(
    _ publications: [PendingPublication], areLocations: Bool, accuracy: AccuracyAuthorization,
    madeIn generation: UInt64, onlyIf isWanted: @escaping @Sendable () -> Bool = { true },
    apply: @escaping @Sendable (PublicationChange) -> Void
  ) async throws(LocationError) -> PublicationChange? {
    guard generation >= self.generation else { return nil }
    var publications = publications
    if areLocations {
      lastTime = publications.last?.date
    } else if let lastTime {
      for index in publications.indices { publications[index].date = lastTime }
    }
    let session = try opened()
    return try await inTurn { [publications] () throws(LocationError) in
      guard isWanted() else { return nil }
      let change = try await session.append(publications, accuracy: accuracy)
      if change.problem != nil { await self.storageWasLost() }
      apply(change)
      return change
    }
  }

  func publications(
    after number: UInt64, count: Int
  ) async throws(LocationError) -> [StoredPublication] {
    let session = try opened()
    return try await inTurn { () throws(LocationError) in
      try await session.publications(after: number, count: count, bytes: 1 << 20)
    }
  }

  /// Whether a publication is pending.
  func contains(_ number: UInt64) async throws(LocationError) -> Bool {
    try await publications(after: number - 1, count: 1).first?.number == number
  }

  /// - Parameter apply: Applies the change, in the order of the calls.
  func remove(
    _ numbers: [UInt64], apply: @escaping @Sendable (PublicationBacklog) -> Void
  ) async throws(LocationError) {
    let session = try opened()
    try await inTurn { () throws(LocationError) in
      let backlog = try await session.remove(numbers)
      await self.removed(numbers)
      apply(backlog)
    }
  }

  /// Handles a storage that has lost its pending publications.
  private func storageWasLost() { replacements = [] }

  private func removed(_ numbers: [UInt64]) { replacements.subtract(numbers) }

  /// Ignores all later appends.
  func refuseAppends() { generation = .max }

  /// Deletes all pending publications, and ignores later appends of publications of an earlier
  /// generation.
  ///
  /// - Parameters:
  ///   - next: The publications to append before anything else.
  ///   - apply: Applies the change, in the order of the calls. Receives the numbers of the deleted
  ///     publications that an earlier deletion had appended.
  func removeAll(
    before generation: UInt64, then next: [PendingPublication],
    apply: @escaping @Sendable (_ replacements: Set<UInt64>, PublicationChange) -> Void
  ) async throws(LocationError) {
    self.generation = max(generation, self.generation)
    let session = try opened()
    try await inTurn { () throws(LocationError) in
      let change = try await session.removeAll(then: next)
      apply(await self.replaced(by: change.numbers), change)
    }
  }

  /// Sets the replacements, and returns the earlier ones.
  private func replaced(by numbers: Range<UInt64>) -> Set<UInt64> {
    exchange(&replacements, with: Set(numbers))
  }

  func close() async {
    guard let session else { return }
    self.session = nil
    _ = try? await inTurn { () throws(LocationError) in await session.close() }
  }
}
