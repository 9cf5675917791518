import FoundationEssentials
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

  /// Records what an observer of one property sees just before and after the property changes.
  private func observe<Value>(_ property: any KeyPath<LocationState, Value> & Sendable) {
    withObservationTracking {
      _ = state[keyPath: property]
    } onChange: {
      // Runs on the actor that changes the state.
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

  @Test func stateFollowsTheManager() async throws {
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

  /// A device at rest reports no further location that the second state could wait for.
  @Test("F74 a second state shows the last location at once")
  func aSecondStateShowsTheLastLocation() async throws {
    let manager = LocationManager(backend: backend)
    let (first, second) = (Owner(), Owner())
    let following = Task { await first.follow(manager) }
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await first.wait { $0.location == fix(1) }
    let joining = Task { await second.follow(manager) }
    await second.wait { $0.location == fix(1) }
    await manager.shutdown()
    await following.value
    await joining.value
  }

  @Test func goingOutOfUseHidesThePosition() async throws {
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

  /// Permission changes while locations arrive: no observer sees a location without permission.
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

  @Test @MainActor func theMainActorCanOwnTheState() async throws {
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

  /// The actor is busy from before the application goes out of use until it is in use again.
  @Test func aStateForgetsThePositionAfterAShortTimeOutOfUse() async throws {
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

/// A state whose actor is busy while permission is withdrawn and granted again.
@Suite(.inTurn) struct BusyStateTests {
  /// A full buffer drops the events of the withdrawal and the grant, and the error between them.
  @Test(
    "F64 a state forgets its position when a withdrawal and the next grant are evicted",
    arguments: [
      AuthorizationDecision.denied, AuthorizationDecision(.whenInUse, accuracy: .reduced),
    ],
    [1, 100])
  func evictedWithdrawalForgetsThePosition(
    _ withdrawal: AuthorizationDecision, buffering count: Int
  ) async throws {
    let granted = AuthorizationDecision(.whenInUse)
    let backend = MockBackend(authorization: .answering(granted))
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let owner = SteppedOwner()
    let following = Task {
      await owner.follow(
        manager, EventOptions(services: .locations, buffering: .newest(count)))
    }
    try await owner.executor.runJobs {
      await backend.waitUntilRunning()
      try backend.emit(.location(fix(1)))
      while await owner.location == nil {}
    }
    backend.setAuthorization(withdrawal)
    await manager.waitForAuthorization { !$0.isAuthorized || $0.accuracy == .reduced }
    backend.setAuthorization(granted)
    await manager.waitForAuthorization { $0.isAuthorized && $0.accuracy == .full }
    #expect(await manager.location == nil)
    await manager.shutdown()
    owner.executor.finish()
    await following.value
    #expect(await owner.location == nil)
  }
}

/// The placemark of a ``LocationState``.
@Suite(.inTurn) @MainActor
struct LocationStatePlacemarkTests {
  private let clock = ManualClock()
  private let backend = MockBackend(authorization: .answering(AuthorizationDecision(.whenInUse)))
  private let geocoder = MockGeocoder()
  private let state = LocationState()
  private let town: Placemark
  private let outage = LocationError(.network, "No route to the server.")

  init() throws {
    var town = Placemark(coordinate: try Coordinate(latitude: 0.001, longitude: 0))
    town.name = "Town"
    self.town = town
  }

  /// Starts a task that follows a manager, and waits until the manager's run has begun.
  private func follow(
    _ manager: LocationManager, _ services: LocationServices = [.locations, .headings]
  ) async -> Task<Void, Never> {
    let following = Task {
      await state.follow(
        manager, options: EventOptions(services: services), placemarks: geocoder,
        placemarkOptions: PlacemarkOptions(minimumInterval: .zero))
    }
    await backend.waitForReaders(of: .events)
    await backend.waitUntilRunning()
    return following
  }

  /// - Parameter count: The total number of requests that the geocoder must have received.
  private func emit(_ location: Location, requests count: Int) async throws {
    try backend.emit(.location(location))
    await geocoder.waitForRequests(count)
    try await backend.settle()
  }

  /// Fixes are 111 m apart; a place is requested after 100 m.
  @Test func aPlacemarkOfAnEarlierLocationIsDropped() async throws {
    let manager = LocationManager(backend: backend, clock: clock)
    let following = await follow(manager)
    try await emit(fix(1), requests: 1)
    geocoder.answer(town)
    try await backend.settle()
    #expect(state.placemark?.name == "Town")
    try backend.emit(.location(try fix(1).with { $0.timestamp += 1 }))
    try await backend.settle()
    #expect(state.placemark?.name == "Town", "the receiver is still there")
    try await emit(fix(3), requests: 2)
    #expect(state.placemark == nil)
    #expect(state.location == fix(3))
    geocoder.fail(outage)
    try await backend.settle()
    #expect(state.placemark == nil)
    #expect(state.placemarkError == outage)
    #expect(state.error == nil)
    try await emit(fix(5), requests: 3)
    try backend.emit(.location(fix(7)))
    try await backend.settle()
    geocoder.answer(town)  // The answer for an earlier location.
    await geocoder.waitForRequests(4)
    try await backend.settle()
    #expect(state.placemark == nil)
    #expect(state.placemarkError == nil)
    geocoder.answer(town)
    try await backend.settle()
    #expect(state.placemark?.name == "Town")
    await manager.shutdown()
    await following.value
  }

  /// The state starts no service: only its geocoder's demand runs the source.
  @Test func goingOutOfUseHidesThePlacemarkWithoutServices() async throws {
    let manager = LocationManager(backend: backend, clock: clock)
    let following = await follow(manager, [])
    try await emit(fix(1), requests: 1)
    geocoder.answer(town)
    try await backend.settle()
    #expect(state.placemark?.name == "Town")
    #expect(state.location == nil)
    await manager.setInUse(false)
    try await backend.settle()
    #expect(state.placemark == nil)
    #expect(state.error != nil)
    await manager.setInUse(true)
    await manager.until { $0.backendRuns == 2 }
    await backend.waitUntilRunning()
    try await emit(fix(2), requests: 2)
    geocoder.answer(town)
    try await backend.settle()
    #expect(state.placemark?.name == "Town")
    #expect(state.error == nil)
    await manager.shutdown()
    await following.value
  }

  @Test func aPreviewHasValues() {
    let state = LocationState(
      authorization: Authorization(status: .authorizedAlways), location: fix(1), placemark: town,
      heading: heading(9), connection: ConnectionState(.connected), error: outage,
      placemarkError: outage)
    #expect(state.status == .authorizedAlways)
    #expect(state.location == fix(1))
    #expect(state.placemark == town)
    #expect(state.heading == heading(9))
    #expect(state.connection.phase == .connected)
    #expect(state.error == outage)
    #expect(state.placemarkError == outage)
  }
}

/// An actor that owns a state and whose jobs a test steps.
private actor SteppedOwner {
  nonisolated let executor = SteppedExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let state = LocationState()

  var location: Location? { state.location }

  func follow(
    _ manager: LocationManager,
    _ options: EventOptions = EventOptions(services: [.locations, .headings])
  ) async {
    await state.follow(manager, options: options)
  }
}
