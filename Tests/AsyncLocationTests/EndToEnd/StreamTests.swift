import AsyncLocation
import MockBackend
import TestSupport
import Testing

@Suite(.inTurn)
struct StreamTests {
  private let clock = ManualClock()
  private let backend: MockBackend
  private let manager: LocationManager

  init() {
    backend = MockBackend(clock: clock)
    manager = LocationManager(backend: backend, clock: clock)
  }

  @Test func optionsApplyToTheirSubscriberOnly() async throws {
    let unfiltered = manager.updates
    let byDistance = manager.updates(UpdateOptions(distanceFilter: 250))
    let byInterval = manager.updates(UpdateOptions(minimumInterval: .seconds(3)))
    let byAccuracy = manager.updates(UpdateOptions(desiredAccuracy: .nearestTenMeters))
    let byDevice = manager.updates(UpdateOptions(device: "b"))
    await backend.waitUntilRunning()
    for n in 0..<6 {
      try backend.emit(
        .location(fix(n, accuracy: n.isMultiple(of: 2) ? 5 : 50, device: n == 4 ? "b" : "a")))
      clock.advance(by: .seconds(1))
    }
    try backend.end()
    func numbers(_ locations: [Location]) -> [Int] {
      locations.map { Int(($0.latitude * 1000).rounded()) }
    }
    #expect(numbers(await unfiltered.all().elements) == [0, 1, 2, 3, 4, 5])
    #expect(numbers(await byDistance.all().elements) == [0, 3])
    #expect(numbers(await byInterval.all().elements) == [0, 3])
    #expect(numbers(await byAccuracy.all().elements) == [0, 2, 4])
    #expect(numbers(await byDevice.all().elements) == [4])
    #expect(backend.runCount == 1)
  }

  @Test func demandsAreMerged() async throws {
    let streams = (
      manager.updates(
        UpdateOptions(minimumInterval: .seconds(5), desiredAccuracy: .kilometer, device: "a")),
      manager.updates(
        UpdateOptions(
          minimumInterval: .seconds(2), desiredAccuracy: .hundredMeters, device: "b"))
    )
    await backend.waitForCall { call in
      switch call {
      case .runStarted(let demand), .demandApplied(let demand):
        demand
          == BackendDemand(
            kinds: .locations, desiredAccuracy: .hundredMeters, minimumInterval: .seconds(2),
            devices: ["a", "b"])
      default: false
      }
    }
    _ = streams
  }

  @Test func aStreamMayBeginWithARecentKnownLocation() async throws {
    let first = manager.updates(UpdateOptions())
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    _ = try await first.first(1)
    clock.advance(by: .seconds(5))
    let cached = manager.updates(UpdateOptions(maximumAge: .seconds(5)))
    let fresh = manager.updates(UpdateOptions(maximumAge: .seconds(4)))
    try backend.emit(.location(fix(2)))
    #expect(try await cached.first(2) == [fix(1), fix(2)])
    #expect(try await fresh.first(1) == [fix(2)])
  }

  @Test func agesFollowOnlyTheManagersClock() async throws {
    let updates = manager.updates(UpdateOptions())
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    let location = try #require(try await updates.first(1).first)
    #expect(location.age == .zero)
    clock.advance(by: .seconds(90))
    #expect(location.age == .seconds(90))
    #expect(await manager.location?.age == .seconds(90))
    #expect(fix(1).age == nil)
  }

  @Test func headingsPassTheirFilter() async throws {
    let coarse = manager.headings(HeadingOptions(headingFilter: 10))
    let unfiltered = manager.headings(HeadingOptions(headingFilter: 0))
    let byDefault = manager.headings
    await backend.waitUntilRunning()
    for degrees in [350, 350.5, 359, 1, 9, 11] {
      try backend.emit(.heading(heading(degrees)))
    }
    try backend.end()
    #expect(await coarse.all().elements.compactMap(\.trueHeading) == [350, 1, 11])
    #expect(await unfiltered.all().elements.count == 6)
    #expect(await byDefault.all().elements.compactMap(\.trueHeading) == [350, 359, 1, 9, 11])
  }

  @Test func unsupportedKindsFail() async throws {
    let manager = LocationManager(backend: MockBackend(capabilities: .locations))
    #expect((await manager.headings.all().error as? LocationError)?.code == .unsupported)
    #expect((await manager.satellites.all().error as? LocationError)?.code == .unsupported)
  }

  @Test func connectionAndAuthorizationStreamsStartNoRun() async throws {
    var states = manager.connectionStates.makeAsyncIterator()
    var authorizations = manager.authorizationUpdates.makeAsyncIterator()
    #expect(await states.next()?.phase == .idle)
    #expect(await authorizations.next()?.status == .notDetermined)
    #expect(backend.backendCalls.isEmpty)
  }

  @Test func theStateOfTheConnectionFollowsTheRun() async throws {
    var states = manager.connectionStates.makeAsyncIterator()
    let updates = manager.updates
    await backend.waitUntilRunning()
    try backend.emit(.connection(ConnectionState(.connected, endpoint: "localhost:2947")))
    try backend.fail(LocationError(.notGPSD, "A web server."))
    var phases: [ConnectionState.Phase] = []
    while let state = await states.next() {
      phases.append(state.phase)
      if state.phase == .failed {
        #expect(state.problem?.code == .notGPSD)
        break
      }
    }
    #expect(phases == [.idle, .connected, .failed])
    _ = updates
  }

  @Test func liveUpdatesReportWhyThereIsNoLocation() async throws {
    let backend = MockBackend(authorization: .asking)
    let manager = LocationManager(backend: backend)
    var live = manager.liveUpdates.makeAsyncIterator()
    #expect(await live.next()?.diagnostics == .authorizationRequestInProgress)
    await backend.waitForCall(.authorizationRequested(.whenInUse))
    backend.answerAuthorization(.authorizedWhenInUse)
    await backend.waitUntilRunning()
    try backend.emit(.connection(ConnectionState(.waiting)))
    #expect(await live.next()?.diagnostics == .locationUnavailable)
    try backend.emit(.connection(ConnectionState(.connected)), .location(fix(1)))
    #expect(await live.next()?.location == fix(1))
  }

  @Test func withoutImplicitRequestsLiveUpdatesReportMissingPermission() async throws {
    let manager = LocationManager(
      backend: backend, configuration: .init(requestsAuthorizationImplicitly: false))
    var live = manager.liveUpdates.makeAsyncIterator()
    #expect(await live.next()?.diagnostics == .serviceSessionRequired)
  }

  @Test func iteratorsOfOneSequenceShareItsElements() async throws {
    let updates = manager.updates(UpdateOptions(buffering: .newest(100)))
    await backend.waitUntilRunning()
    let counts = try await withThrowingTaskGroup { group in
      for _ in 0..<3 { group.addTask { await updates.all().elements.count } }
      for n in 0..<90 { try backend.emit(.location(fix(n))) }
      try backend.end()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts.reduce(0, +) == 90)
  }
}
