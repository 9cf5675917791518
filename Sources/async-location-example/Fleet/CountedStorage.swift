import AsyncLocation

/// Counts the publications that are appended to a storage, and takes no more than a limit.
struct CountedStorage: PublicationStorage {
  let base: any PublicationStorage
  /// The number of publications to take; nil for any number.
  let limit: Int?
  /// Called after publications were taken, with the number of all.
  let taken: @Sendable (Int) async -> Void

  func open(
    _ limits: PublicationLimits
  ) async throws(LocationError) -> (any PublicationSession, StoredPublications) {
    let (session, stored) = try await base.open(limits)
    return (CountedSession(base: session, limit: limit, taken: taken), stored)
  }
}

private actor CountedSession: PublicationSession {
  private let base: any PublicationSession
  private let limit: Int?
  private let taken: @Sendable (Int) async -> Void
  private var count = 0

  init(
    base: any PublicationSession, limit: Int?, taken: @escaping @Sendable (Int) async -> Void
  ) {
    (self.base, self.limit, self.taken) = (base, limit, taken)
  }

  func append(
    _ publications: [PendingPublication]
  ) async throws(LocationError) -> PublicationChange {
    let room = limit.map { max(0, $0 - count) } ?? .max
    let accepted = Array(publications.prefix(room))
    let change = try await base.append(accepted)
    guard !accepted.isEmpty else { return change }
    count += accepted.count
    await taken(count)
    return change
  }

  func publications(
    after number: UInt64, count: Int, bytes: Int
  ) async throws(LocationError) -> [StoredPublication] {
    try await base.publications(after: number, count: count, bytes: bytes)
  }

  func remove(_ numbers: [UInt64]) async throws(LocationError) -> PublicationBacklog {
    try await base.remove(numbers)
  }

  func removeAll() async throws(LocationError) { try await base.removeAll() }

  func close() async { await base.close() }
}
