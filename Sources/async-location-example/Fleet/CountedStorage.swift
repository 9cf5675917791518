import AsyncLocation
import LocationPublishing

/// Reports the changes of a storage, and limits the number of locations that it stores.
struct CountedStorage: PublicationStorage {
  var identity: String? { base.identity }

  /// The changes that are reported, in order.
  enum Change: Sendable {
    /// The storage was opened. `problem` is the reason that earlier content was set aside. `other`
    /// is the topic of the oldest waiting publication if it is another device's.
    case opened(problem: LocationError?, other: String?)
    /// Locations were stored, or were deleted before they were delivered. The value is the number
    /// of locations stored so far, without the deleted ones.
    case stored(Int)
    /// Publications were delivered, or were permanently refused.
    case done
  }

  let base: any PublicationStorage
  /// The topic of locations. Publications with other topics are stored, but not counted.
  let topic: String
  /// The maximum number of locations to store; nil for no limit.
  let limit: Int?
  let changed: @Sendable (Change) async -> Void

  func open(
    _ limits: PublicationLimits
  ) async throws(LocationError) -> (any PublicationSession, StoredPublications) {
    let (session, stored) = try await base.open(limits)
    // An error is ignored here, because the publisher reads the same publications and handles it.
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
  /// Whether the publication is a location of a topic: an empty message removes a location.
  fileprivate func isLocation(for topic: String) -> Bool { self.topic == topic && !payload.isEmpty }
}

private actor CountedSession: PublicationSession {
  private let base: any PublicationSession
  private let topic: String
  private let limit: Int?
  private let changed: @Sendable (CountedStorage.Change) async -> Void
  /// The number of the last publication that was stored before this session.
  private let lastNumber: UInt64
  private var count = 0
  /// The payload of the last location that was counted.
  private var lastPayload: [UInt8]?
  /// The number of counted locations that were delivered or permanently refused.
  private var done = 0
  /// The numbers of publications that do not count: those without a location, and repeated
  /// locations.
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
        // The publisher publishes the last location again after its connection broke.
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
    await changed(.stored(count))
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
    // The same location may be published again.
    lastPayload = nil
    guard count > done else { return change }
    count = done
    await changed(.stored(count))
    return change
  }

  func close() async { await base.close() }
}
