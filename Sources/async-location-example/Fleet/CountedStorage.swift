import AsyncLocation

/// Reports what happens to a storage, and takes no more than a limit.
struct CountedStorage: PublicationStorage {
  /// What is reported, in order.
  enum Change: Sendable {
    /// The storage was opened; its problem is why an earlier content was set aside.
    case opened(problem: LocationError?)
    /// Publications were taken, or deleted before they were delivered; the number of all that were
    /// taken and not deleted.
    case taken(Int)
    /// Publications were delivered, or refused for good.
    case done
  }

  let base: any PublicationStorage
  /// The number of publications to take; nil for any number.
  let limit: Int?
  let changed: @Sendable (Change) async -> Void

  func open(
    _ limits: PublicationLimits
  ) async throws(LocationError) -> (any PublicationSession, StoredPublications) {
    let (session, stored) = try await base.open(limits)
    await changed(.opened(problem: stored.problem))
    return (
      CountedSession(base: session, after: stored.lastNumber, limit: limit, changed: changed),
      stored
    )
  }
}

private actor CountedSession: PublicationSession {
  private let base: any PublicationSession
  private let limit: Int?
  private let changed: @Sendable (CountedStorage.Change) async -> Void
  /// Publications with later numbers were taken by this session.
  private let lastNumber: UInt64
  private var count = 0
  /// The number of those taken that are done.
  private var done = 0

  init(
    base: any PublicationSession, after lastNumber: UInt64, limit: Int?,
    changed: @escaping @Sendable (CountedStorage.Change) async -> Void
  ) {
    (self.base, self.lastNumber, self.limit, self.changed) = (base, lastNumber, limit, changed)
  }

  func append(
    _ publications: [PendingPublication]
  ) async throws(LocationError) -> PublicationChange {
    let room = limit.map { max(0, $0 - count) } ?? .max
    let accepted = Array(publications.prefix(room))
    let change = try await base.append(accepted)
    guard !accepted.isEmpty else { return change }
    count += accepted.count
    await changed(.taken(count))
    return change
  }

  func publications(
    after number: UInt64, count: Int, bytes: Int
  ) async throws(LocationError) -> [StoredPublication] {
    try await base.publications(after: number, count: count, bytes: bytes)
  }

  func remove(_ numbers: [UInt64]) async throws(LocationError) -> PublicationBacklog {
    let backlog = try await base.remove(numbers)
    done += numbers.count { $0 > lastNumber }
    await changed(.done)
    return backlog
  }

  func removeAll() async throws(LocationError) {
    try await base.removeAll()
    guard count > done else { return }
    count = done
    await changed(.taken(count))
  }

  func close() async { await base.close() }
}
