import AsyncLocation
import LocationPublishing

/// Reports what happens to a storage, and takes no more locations than a limit.
struct CountedStorage: PublicationStorage {
  var identity: String? { base.identity }

  /// The changes that are reported, in order.
  enum Change: Sendable {
    /// The storage was opened; its problem is why an earlier content was set aside, and `other` the
    /// topic of another device for which the oldest publication waits.
    case opened(problem: LocationError?, other: String?)
    /// Locations were taken, or deleted before they were delivered; the number of all that were
    /// taken and not deleted.
    case taken(Int)
    /// Publications were delivered, or refused for good.
    case done
  }

  let base: any PublicationStorage
  /// The topic of locations; publications with another one are taken, but not counted.
  let topic: String
  /// The number of locations to take; nil for any number.
  let limit: Int?
  let changed: @Sendable (Change) async -> Void

  func open(
    _ limits: PublicationLimits
  ) async throws(LocationError) -> (any PublicationSession, StoredPublications) {
    let (session, stored) = try await base.open(limits)
    // Without an answer now, the publisher meets the same failure later.
    let oldest = try? await session.publications(after: 0, count: 1, bytes: 1).first
    let other = oldest.map(\.publication.topic).flatMap { topic in
      topic == self.topic || topic.hasPrefix(self.topic + "/") ? nil : topic
    }
    await changed(.opened(problem: stored.problem, other: other))
    return (
      CountedSession(
        base: session, after: stored.lastNumber, topic: topic, limit: limit, changed: changed),
      stored
    )
  }
}

extension PendingPublication {
  /// An empty message removes a location.
  fileprivate func isLocation(for topic: String) -> Bool { self.topic == topic && !payload.isEmpty }
}

private actor CountedSession: PublicationSession {
  private let base: any PublicationSession
  private let topic: String
  private let limit: Int?
  private let changed: @Sendable (CountedStorage.Change) async -> Void
  /// Publications with later numbers were taken by this session.
  private let lastNumber: UInt64
  private var count = 0
  /// The payload of the last location that was counted.
  private var lastPayload: [UInt8]?
  /// The number of those taken that are done.
  private var done = 0
  /// The numbers of those that do not count: no locations, or repeated.
  private var others: Set<UInt64> = []

  init(
    base: any PublicationSession, after lastNumber: UInt64, topic: String, limit: Int?,
    changed: @escaping @Sendable (CountedStorage.Change) async -> Void
  ) {
    (self.base, self.lastNumber, self.topic) = (base, lastNumber, topic)
    (self.limit, self.changed) = (limit, changed)
  }

  func append(
    _ publications: [PendingPublication], accuracy: AccuracyAuthorization
  ) async throws(LocationError) -> PublicationChange {
    let room = limit.map { max(0, $0 - count) } ?? .max
    var (locations, last) = (0, lastPayload)
    var accepted: [PendingPublication] = []
    var repeated: [Int] = []
    for publication in publications {
      if publication.isLocation(for: topic) {
        // The publisher repeats the last location after it was away.
        if publication.payload == last {
          repeated.append(accepted.count)
        } else {
          guard locations < room else { continue }
          locations += 1
          last = publication.payload
        }
      }
      accepted.append(publication)
    }
    let change = try await base.append(accepted, accuracy: accuracy)
    lastPayload = last
    others.formUnion(repeated.map { change.numbers.lowerBound + UInt64($0) })
    guard locations > 0 else { return change }
    count += locations
    await changed(.taken(count))
    return change
  }

  func publications(
    after number: UInt64, count: Int, bytes: Int
  ) async throws(LocationError) -> [StoredPublication] {
    let stored = try await base.publications(after: number, count: count, bytes: bytes)
    for other in stored where !other.publication.isLocation(for: topic) {
      others.insert(other.number)
    }
    return stored
  }

  func remove(_ numbers: [UInt64]) async throws(LocationError) -> PublicationBacklog {
    let backlog = try await base.remove(numbers)
    done += numbers.count { others.remove($0) == nil && $0 > lastNumber }
    await changed(.done)
    return backlog
  }

  func removeAll(
    then publications: [PendingPublication]
  ) async throws(LocationError) -> PublicationChange {
    let change = try await base.removeAll(then: publications)
    // It may be published again.
    lastPayload = nil
    guard count > done else { return change }
    count = done
    await changed(.taken(count))
    return change
  }

  func close() async { await base.close() }
}
