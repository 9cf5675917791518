public import AsyncLocation
import FoundationEssentials

/// Stores pending publications in memory, for tests and for programs that may lose them.
///
/// A closed storage can be opened again and still has its pending publications.
public final class MemoryPublicationStorage: PublicationStorage {
  private struct State: Sendable {
    var queue = PublicationQueue()
    var isOpen = false
  }

  private static let ids = IDSource()
  /// A name that is unique in the process.
  public let identity: String? = "memory \(ids.next())"

  private let state = Locked(State())
  private let time: PublicationTime

  /// Creates an empty storage.
  public convenience init() { self.init(time: PublicationTime()) }

  /// Creates a storage with the clocks of a test.
  package init(time: PublicationTime) { self.time = time }

  public func open(
    _ limits: PublicationLimits
  ) async throws(LocationError) -> (any PublicationSession, StoredPublications) {
    let stored = state.withLock { state -> StoredPublications? in
      guard !state.isOpen else { return nil }
      state.isOpen = true
      return StoredPublications(
        backlog: state.queue.backlog, lastNumber: state.queue.lastNumber,
        accuracy: state.queue.accuracy, retainedTopics: state.queue.retainedTopics)
    }
    guard let stored else {
      throw LocationError(
        .storageUnavailable,
        "The storage of publications is open in another publisher; use a storage for each.")
    }
    return (Session(storage: self, limits: limits, now: time.start()), stored)
  }

  private final class Session: PublicationSession {
    private let storage: MemoryPublicationStorage
    private let limits: PublicationLimits
    private let now: @Sendable () -> Date
    private let isClosed = Locked(false)

    init(
      storage: MemoryPublicationStorage, limits: PublicationLimits,
      now: @escaping @Sendable () -> Date
    ) {
      (self.storage, self.limits, self.now) = (storage, limits, now)
    }

    deinit { closeOnce() }

    func append(
      _ publications: [PendingPublication], accuracy: AccuracyAuthorization
    ) async throws(LocationError) -> PublicationChange {
      try PendingPublication.check(publications)
      try checkOpen()
      let now = now()
      return storage.state.withLock {
        $0.queue.append(publications, accuracy: accuracy, limits, now: now)
      }
    }

    func publications(
      after number: UInt64, count: Int, bytes: Int
    ) async throws(LocationError) -> [StoredPublication] {
      try checkOpen()
      return storage.state.withLock {
        $0.queue.publications(after: number, count: count, bytes: bytes)
      }
    }

    func remove(_ numbers: [UInt64]) async throws(LocationError) -> PublicationBacklog {
      try checkOpen()
      return storage.state.withLock { state in
        state.queue.remove(numbers)
        return state.queue.backlog
      }
    }

    func removeAll(
      then publications: [PendingPublication]
    ) async throws(LocationError) -> PublicationChange {
      try PendingPublication.check(publications)
      try checkOpen()
      let now = now()
      return storage.state.withLock { state in
        state.queue.removeAll()
        return state.queue.append(publications, accuracy: nil, limits, now: now)
      }
    }

    func close() async { closeOnce() }

    private func checkOpen() throws(LocationError) {
      guard isClosed.withLock({ $0 }) else { return }
      throw LocationError(.storageUnavailable, "The storage of publications is closed.")
    }

    private func closeOnce() {
      let wasClosed = isClosed.withLock { isClosed in
        defer { isClosed = true }
        return isClosed
      }
      guard !wasClosed else { return }
      storage.state.withLock { $0.isOpen = false }
    }
  }
}
