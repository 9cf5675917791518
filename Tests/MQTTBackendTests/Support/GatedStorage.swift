import AsyncLocation
import FoundationEssentials
import LocationFleet
import MockBackend

/// A storage of a fleet whose commits wait or fail under the test's control.
final class GatedStorage: FleetStorage {
  enum Gate: Sendable {
    case open
    /// Commits wait.
    case closed
    /// Commits fail. The next ones are tried after ``FleetSession/recover()``.
    case broken
    /// Commits fail because another server has taken over.
    case superseded
  }

  private struct State: Sendable {
    var gate = Gate.open
    /// The reason why commits fail.
    var reason = "The test broke the storage."
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// Whether the next recovery reports a loss.
    var isLost = false
    var commits: [[FleetStorageChange]] = []
  }

  private let storage: any FleetStorage
  private let state = Locked(State())
  /// A value each time a commit begins to wait, or fails because the gate is `broken`.
  let attempts: AsyncStream<Void>
  private let attempt: AsyncStream<Void>.Continuation

  /// See ``FleetSession/longestPause``.
  private let longestPause: Duration?

  init(_ storage: any FleetStorage = MemoryFleetStorage(), longestPause: Duration? = nil) {
    (self.storage, self.longestPause) = (storage, longestPause)
    (attempts, attempt) = AsyncStream.makeStream()
  }

  /// Sets the gate. Waiting commits are tried again.
  func set(_ gate: Gate, because reason: String = "The test broke the storage.") {
    let waiters = state.withLock { state in
      (state.gate, state.reason) = (gate, reason)
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Makes the next recovery report that the storage has lost its content.
  func lose() { state.withLock { $0.isLost = true } }

  /// The changes of each commit that passed the gate.
  var commits: [[FleetStorageChange]] { state.withLock(\.commits) }

  func open() async throws(LocationError) -> (any FleetSession, StoredFleet) {
    let (session, stored) = try await storage.open()
    return (Session(storage: self, session: session), stored)
  }

  /// Waits until the gate is open, and records the changes. Throws if the gate makes commits fail.
  fileprivate func pass(_ changes: [FleetStorageChange]) async throws(LocationError) {
    while true {
      switch state.withLock(\.gate) {
      case .open:
        state.withLock { $0.commits.append(changes) }
        return
      case .broken:
        attempt.yield()
        throw LocationError(.storageUnavailable, state.withLock(\.reason))
      case .superseded:
        throw LocationError(.superseded, "The test took the storage.")
      case .closed:
        attempt.yield()
        await withCheckedContinuation { continuation in
          let isOpen = state.withLock { state in
            if case .closed = state.gate {
              state.waiters.append(continuation)
              return false
            }
            return true
          }
          if isOpen { continuation.resume() }
        }
      }
    }
  }

  /// Returns whether the recovery must report a loss, and resets this flag.
  fileprivate func takeLoss() -> Bool {
    state.withLock { state in
      defer { state.isLost = false }
      return state.isLost
    }
  }

  private struct Session: FleetSession {
    let storage: GatedStorage
    let session: any FleetSession

    var longestPause: Duration? { storage.longestPause }

    func commit(_ changes: [FleetStorageChange]) async throws(LocationError) {
      try await storage.pass(changes)
      try await session.commit(changes)
    }

    func recover() async throws(LocationError) -> LocationError? {
      _ = try await session.recover()
      return storage.takeLoss()
        ? LocationError(.storageUnavailable, "The test lost the storage.") : nil
    }

    func close() async { await session.close() }

    func locations(
      of device: FleetDevice.ID, from start: Date, to end: Date, count: Int
    ) async throws(LocationError) -> [Location] {
      try await session.locations(of: device, from: start, to: end, count: count)
    }

    func location(
      of device: FleetDevice.ID, at instant: Date
    ) async throws(LocationError) -> Location? {
      try await session.location(of: device, at: instant)
    }

    func visits(
      to area: Condition, from start: Date, to end: Date, after device: FleetDevice.ID?, count: Int
    ) async throws(LocationError) -> [FleetVisit] {
      try await session.visits(to: area, from: start, to: end, after: device, count: count)
    }
  }
}
