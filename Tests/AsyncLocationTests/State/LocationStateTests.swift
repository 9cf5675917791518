import MockBackend
import Observation
import TestSupport
import Testing

@testable import AsyncLocation

/// An actor that owns a state and records what its observers see.
private actor Owner {
  struct Seen: Sendable, Hashable {
    var status: AuthorizationStatus
    var location: Location?
    var heading: Heading?
    var hasError: Bool
  }

  private let state = LocationState()
  private(set) var seen: [Seen] = []

  private var now: Seen {
    Seen(
      status: state.status, location: state.location, heading: state.heading,
      hasError: state.error != nil)
  }

  /// Records every change until the manager's events end.
  func follow(_ manager: LocationManager) async {
    observe(\.authorization)
    observe(\.location)
    observe(\.heading)
    observe(\.error)
    await state.follow(manager)
  }

  /// Records what an observer of one property sees when it is about to change, and afterwards.
  private func observe<Value>(_ property: any KeyPath<LocationState, Value> & Sendable) {
    withObservationTracking {
      _ = state[keyPath: property]
    } onChange: {
      // On the actor that changes the state.
      self.assumeIsolated { owner in
        owner.record(owner.now)
        Task { owner.observe(property) }
      }
    }
    record(now)
  }

  private func record(_ seen: Seen) { self.seen.append(seen) }

  func wait(until condition: @Sendable (Seen) -> Bool) async {
    while !condition(now), !Task.isCancelled { await Task.yield() }
  }
}

@Suite(.inTurn)
struct LocationStateTests {
  private let backend = MockBackend()

  @Test func showsWhatHappens() async throws {
    let manager = LocationManager(backend: backend)
    let owner = Owner()
    let following = Task { await owner.follow(manager) }
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)), .heading(heading(20)))
    await owner.wait { $0.location == fix(1) && $0.heading == heading(20) }
    try backend.emit(.unavailable(LocationError(.locationUnknown, "No fix.")))
    await owner.wait { $0.hasError && $0.location == fix(1) }
    try backend.emit(.location(fix(2)))
    await owner.wait { !$0.hasError && $0.location == fix(2) }
    backend.setAuthorization(.denied)
    await owner.wait { $0.status == .denied && $0.location == nil && $0.hasError }
    backend.setAuthorization(.authorizedAlways)
    await owner.wait { $0.status == .authorizedAlways && !$0.hasError }
    await manager.shutdown()
    await following.value
  }

  @Test func outOfUseThereIsNoPosition() async throws {
    let manager = LocationManager(backend: backend)
    let owner = Owner()
    let following = Task { await owner.follow(manager) }
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)), .heading(heading(20)))
    await owner.wait { $0.location == fix(1) && $0.heading == heading(20) }
    await manager.setInUse(false)
    await owner.wait { $0.location == nil && $0.heading == nil }
    #expect(await manager.location == nil)
    #expect(await manager.authorization().status == .authorizedWhenInUse)
    await manager.setInUse(true)
    await manager.until { $0.backendRuns == 2 }
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(2)))
    await owner.wait { $0.location == fix(2) }
    await manager.shutdown()
    await following.value
  }

  /// Grants and revokes while locations arrive: no observer sees a location that is not allowed.
  @Test func observersNeverSeeAForbiddenLocation() async throws {
    try await withTaskExecutorPreference(LongWork.shared) {
      for round in 0..<Rounds.of(200) {
        let backend = MockBackend()
        let manager = LocationManager(backend: backend)
        let owner = Owner()
        let following = Task { await owner.follow(manager) }
        await backend.waitUntilRunning()
        for n in 0..<20 {
          try? backend.emit(.location(fix(n)), .heading(heading(Double(n * 10))))
          if (n + round).isMultiple(of: 5) { backend.setAuthorization(.denied) }
          if (n + round).isMultiple(of: 3) { backend.setAuthorization(.authorizedAlways) }
          if n.isMultiple(of: 4) { await Task.yield() }
        }
        await manager.shutdown()
        await following.value
        for seen in await owner.seen where !seen.status.isAuthorized {
          try #require(seen.location == nil && seen.heading == nil, "round \(round): \(seen)")
        }
      }
    }
  }

  @Test func reducedAccuracyHidesThePreciseLocation() async throws {
    let manager = LocationManager(backend: backend)
    let owner = Owner()
    let following = Task { await owner.follow(manager) }
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await owner.wait { $0.location == fix(1) }
    backend.setAuthorization(AuthorizationDecision(.whenInUse, accuracy: .reduced))
    await owner.wait { $0.location == nil }
    await manager.shutdown()
    await following.value
  }

  @Test @MainActor func theMainActorMayOwnIt() async throws {
    let manager = LocationManager(backend: MockBackend(capabilities: .locations))
    let state = LocationState()
    let following = Task { await state.follow(manager) }
    while !state.status.isAuthorized { await Task.yield() }
    #expect(state.error == nil, "a missing compass is no error")
    following.cancel()
    await following.value
    #expect(state.connection.problem == nil)
    #expect(state.location == nil)
  }

  /// The actor is busy from before the application is out of use until it is in use again.
  @Test func aShortTimeOutOfUseForgetsThePosition() async throws {
    let backend = MockBackend(authorization: .answering(AuthorizationDecision(.whenInUse)))
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let owner = SteppedOwner()
    let following = Task { await owner.follow(manager) }
    try await owner.executor.runJobs {
      await backend.waitUntilRunning()
      try backend.emit(.location(fix(1)))
      while await owner.location == nil {}
    }
    await manager.setInUse(false)
    await manager.setInUse(true)
    owner.executor.finish()
    while await owner.location != nil { await Task.yield() }
    #expect(await manager.location == nil)
    await manager.shutdown()
    await following.value
  }
}

/// An actor that owns a state, and whose jobs a test steps.
private actor SteppedOwner {
  nonisolated let executor = SteppedExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let state = LocationState()

  var location: Location? { state.location }

  func follow(_ manager: LocationManager) async { await state.follow(manager) }
}
