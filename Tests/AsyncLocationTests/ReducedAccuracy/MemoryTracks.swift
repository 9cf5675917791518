import Foundation
import MockBackend
import TestSupport

@testable import AsyncLocation

/// Stores reduced tracks in memory. A test can make it hang or fail.
final class MemoryTracks: ReducedTrackStorage {
  struct State: Sendable {
    var contents: [UInt8]?
    var updates = 0
    var isFull = false
  }

  let state: Locked<State>
  /// Closed while the disk hangs.
  let gate = MockGate()
  /// Closed while the disk hangs after the choice.
  let laterGate = MockGate()
  /// Opened by a test to end the time allowed for the disk.
  let isOverdue = MockGate()
  /// Opened when the first update has begun.
  let updateBegan = MockGate()

  enum Hang { case never, atOnce, afterTheChoice }

  init(_ contents: [UInt8]? = nil, hangs: Hang = .never) {
    state = Locked(State(contents: contents))
    if hangs != .atOnce { gate.open() }
    if hangs != .afterTheChoice { laterGate.open() }
  }

  var contents: [UInt8]? { state.withLock(\.contents) }
  var updates: Int { state.withLock(\.updates) }

  func waitForTimeout() async { await isOverdue.wait() }

  func update(_ change: @escaping @Sendable ([UInt8]?) -> [UInt8]?) async -> Bool {
    updateBegan.open()
    await gate.wait()
    let before = state.withLock(\.contents)
    let after = change(before)
    await laterGate.wait()
    return state.withLock { state in
      state.updates += 1
      guard let after else { return true }
      guard !state.isFull else { return false }
      state.contents = after
      return true
    }
  }
}

/// A mock whose key for reduced accuracy the test chooses.
struct KeyedBackend: LocationBackend {
  /// The mock's policy with that key.
  private struct Policy: AuthorizationPolicy {
    let policy: any AuthorizationPolicy
    let key: ReducedAccuracyKey

    func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
      await policy.authorize(request)
    }
    func observe(_ report: @escaping @Sendable (AuthorizationChange) -> Void) async {
      await policy.observe(report)
    }
    func reducedAccuracyKey() -> ReducedAccuracyKey { key }
  }

  let mock: MockBackend
  let authorizationPolicy: any AuthorizationPolicy
  var capabilities: BackendCapabilities { mock.capabilities }

  init(_ mock: MockBackend, _ key: ReducedAccuracyKey) {
    self.mock = mock
    authorizationPolicy = Policy(policy: mock.authorizationPolicy, key: key)
  }

  func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    try await mock.run(demand, emit: emit)
  }
}
