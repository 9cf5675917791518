import AsyncLocation
import FoundationEssentials
import LocationPublishing

/// The open storage of a publisher, which makes one call at a time, in the order of the callers.
///
/// Callers resume in any order. So what a call changes is applied by a closure, before the next call
/// begins: the last backlog that is applied is that of the storage.
actor PublicationStore {
  private let storage: any PublicationStorage
  private let limits: PublicationLimits
  private var session: (any PublicationSession)?
  private var last: Task<Void, Never>?
  /// Publications that were made before it are not stored any more.
  private var generation: UInt64 = 0
  /// The numbers of the removals that a deletion appended and that still wait.
  private var replacements: Set<UInt64> = []
  /// The time of the last location.
  private var lastTime: Date?

  init(_ storage: any PublicationStorage, _ limits: PublicationLimits) {
    (self.storage, self.limits) = (storage, limits)
  }

  /// Runs a call after those that began before it. The call goes on if its caller is cancelled.
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
    // Those of earlier runs are first. A file that cannot be written returns none.
    let first = try? await publications(after: 0, count: 1_000)
    replacements = Set((first ?? []).prefix { $0.publication.isRemoval }.map(\.number))
    return opened.1
  }

  private func opened() throws(LocationError) -> any PublicationSession {
    guard let session else { throw .publisherDoesNotRun }
    return session
  }

  /// Appends locations, or other messages; nil if everything was deleted since they were made, or
  /// they are not wanted any more.
  ///
  /// Other messages get the time of the last location: a replay's locations are not too old beside
  /// them.
  ///
  /// - Parameters:
  ///   - isWanted: Called when the earlier calls' changes have been applied.
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
      if change.problem != nil { await self.beganAnew() }
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

  /// Whether a publication waits.
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

  /// The storage has lost what waited.
  private func beganAnew() { replacements = [] }

  private func removed(_ numbers: [UInt64]) { replacements.subtract(numbers) }

  /// Appends nothing more.
  func refuseAppends() { generation = .max }

  /// Deletes everything that waits, and what is appended later but was made before a generation.
  ///
  /// - Parameters:
  ///   - next: Appended before anything else.
  ///   - apply: Applies the change, in the order of the calls. Receives the numbers of those among the
  ///     deleted that an earlier deletion appended.
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

  /// Returns the earlier replacements.
  private func replaced(by numbers: Range<UInt64>) -> Set<UInt64> {
    exchange(&replacements, with: Set(numbers))
  }

  func close() async {
    guard let session else { return }
    self.session = nil
    _ = try? await inTurn { () throws(LocationError) in await session.close() }
  }
}
