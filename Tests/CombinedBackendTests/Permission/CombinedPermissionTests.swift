import AsyncLocation
import CombinedBackend
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@Suite("O3 with several sources", .inTurn)
struct CombinedPermissionTests {
  @Test func everyPolicyIsAsked() async throws {
    let bench = try CombinedBench(authorization: [.asking, .asking])
    let updates = bench.manager.updates
    await bench.mocks[0].waitForCall(.authorizationRequested(.whenInUse))
    bench.mocks[0].answerAuthorization(.authorizedAlways)
    await bench.mocks[1].waitForCall(.authorizationRequested(.whenInUse))
    #expect(await bench.manager.authorization().status == .notDetermined)
    bench.mocks[1].answerAuthorization(.authorizedWhenInUse)
    await bench.waitUntilRunning(0, 1)
    // The weakest permission is that of all.
    #expect(await bench.manager.authorization().status == .authorizedWhenInUse)
    withExtendedLifetime(updates) {}
  }

  @Test func refusedSourceIsLeftOut() async throws {
    let bench = try CombinedBench(authorization: [.denying, .granting])
    let (updates, states) = (bench.manager.updates, bench.manager.connectionStates)
    await bench.waitUntilRunning(1)
    try bench.emit(bench.fix(0), from: 1)
    #expect(try await updates.first(1).map(\.device) == ["b"])
    #expect(bench.mocks[0].runCount == 0)
    let last = try #require(try await states.until { $0.phase == .connected }.last)
    #expect(last.problem?.message == "a: The policy of the source does not grant permission.")
  }

  @Test func allRefusalsAreADenial() async throws {
    let bench = try CombinedBench(authorization: [.denying, .denying])
    await #expect { for try await _ in bench.manager.updates {} } throws: { error in
      (error as? LocationError)?.code == .denied
    }
    #expect(bench.mocks.map(\.runCount) == [0, 0])
  }

  /// Withdraws the permission of one source at each position among eight fixes, half of which were
  /// read. Nothing unread is delivered, and the other source continues.
  @Test(arguments: 1...8, [false, true])
  func withdrawalDiscardsWhatWasUnread(_ position: Int, _ byTheSource: Bool) async throws {
    let bench = try CombinedBench()
    let streams = [bench.manager.updates(UpdateOptions()), bench.manager.updates(UpdateOptions())]
    await bench.waitUntilRunning(0, 1)
    for _ in 0..<position {
      bench.tick()
      try bench.emit(bench.fix(0), from: 0)
      try bench.emit(bench.fix(0), from: 1)
    }
    let read = position / 2
    var iterators = streams.map { $0.makeAsyncIterator() }
    for _ in 0..<read { #expect(try await iterators[0].next()?.device == "a") }
    if byTheSource {
      try bench.mocks[0].emit(.authorization(.denied), .location(bench.fix(7)))
    } else {
      bench.mocks[0].setAuthorization(.denied)
    }
    await bench.mocks[0].waitUntilIdle()
    await bench.mocks[1].waitForCall(count: 2) { if case .runStarted = $0 { true } else { false } }
    #expect(await bench.manager.location == nil)
    await bench.mocks[1].waitUntilRunning()
    bench.tick()
    try bench.emit(bench.fix(1), from: 1)
    for index in iterators.indices { #expect(try await iterators[index].next()?.device == "b") }
    #expect(await bench.manager.authorization().isAuthorized)
    #expect(bench.mocks[0].runCount == 1)
  }

  /// The run of one source fails with a refusal, as a device does that may not be opened.
  @Test(arguments: [LocationError.Code.denied, .restricted])
  func refusalThatEndsARunWithdraws(_ code: LocationError.Code) async throws {
    let bench = try CombinedBench()
    let (updates, states) = (bench.manager.updates, bench.manager.connectionStates)
    await bench.waitUntilRunning(0, 1)
    bench.tick()
    try bench.emit(bench.fix(0), from: 0)
    try bench.mocks[0].fail(LocationError(code, "Join the group dialout."))
    await bench.mocks[1].waitForCall(count: 2) { if case .runStarted = $0 { true } else { false } }
    #expect(await bench.manager.location == nil)
    await bench.mocks[1].waitUntilRunning()
    bench.tick()
    try bench.emit(bench.fix(1), from: 1)
    #expect(try await updates.first(1).map(\.device) == ["b"])
    #expect(await bench.manager.authorization().isAuthorized)
    #expect(bench.mocks[0].runCount == 1)
    // The remedy is not lost.
    let last = try #require(try await states.until { $0.preferredReceiver == "b" }.last)
    #expect(last.problem?.code == code)
    #expect(last.problem?.message == "a: Join the group dialout.")
  }

  /// All refuse in this way: the streams end with the refusal.
  @Test func refusalsThatEndAllRunsEndTheStreams() async throws {
    let bench = try CombinedBench()
    let updates = bench.manager.updates
    await bench.waitUntilRunning(0, 1)
    try bench.mocks[0].fail(LocationError(.denied, "One."))
    try bench.mocks[1].fail(LocationError(.denied, "Two."))
    await #expect { for try await _ in updates {} } throws: { error in
      (error as? LocationError)?.code == .denied
    }
  }

  /// Both sources are granted one use, and one of them is refused during it.
  @Test(arguments: [false, true])
  func oneUseGoesOnWithTheOtherSource(_ byTheSource: Bool) async throws {
    let once = MockAuthorization.answering(.authorizedOnce)
    let bench = try CombinedBench(authorization: [once, once])
    let updates = bench.manager.updates
    await bench.waitUntilRunning(0, 1)
    bench.tick()
    try bench.emit(bench.fix(0), from: 0)
    if byTheSource {
      try bench.mocks[0].emit(.authorization(.denied))
    } else {
      bench.mocks[0].setAuthorization(.denied)
    }
    await bench.mocks[1].waitForCall(count: 2) { if case .runStarted = $0 { true } else { false } }
    #expect(await bench.manager.location == nil)
    await bench.mocks[1].waitUntilRunning()
    bench.tick()
    try bench.emit(bench.fix(1), from: 1)
    #expect(try await updates.first(1).map(\.device) == ["b"])
    // Nobody was asked a second time.
    let asked = MockBackend.Call.authorizationRequested(.whenInUse)
    #expect(bench.mocks.map { $0.calls { $0 == asked }.count } == [1, 1])
  }

  /// The use has ended when one source is refused: the next use has to be asked for.
  @Test func refusalAfterOneUseGrantsNothing() async throws {
    let once = MockAuthorization.answering(.authorizedOnce)
    let bench = try CombinedBench(authorization: [once, once])
    var updates: LocationUpdates? = bench.manager.updates(UpdateOptions())
    await bench.waitUntilRunning(0, 1)
    bench.tick()
    try bench.emit(bench.fix(0), from: 0)
    withExtendedLifetime(updates) {}
    updates = nil
    for mock in bench.mocks { await mock.waitUntilIdle() }
    #expect(await bench.manager.authorization().status == .notDetermined)
    bench.mocks[0].setAuthorization(.denied)
    #expect(await bench.manager.authorization().status == .notDetermined)
    let next = bench.manager.updates
    await bench.waitUntilRunning(1)
    let asked = MockBackend.Call.authorizationRequested(.whenInUse)
    #expect(bench.mocks[1].calls { $0 == asked }.count == 2)
    #expect(bench.mocks[0].runCount == 1)
    withExtendedLifetime(next) {}
  }

  @Test func locationBesideARefusalIsNotDelivered() async throws {
    let bench = try CombinedBench()
    let updates = bench.manager.updates
    await bench.waitUntilRunning(0, 1)
    try bench.mocks[0].emit(.location(bench.fix(0)), .authorization(.denied))
    try bench.emit(bench.fix(0), from: 1)
    #expect(try await updates.first(1).map(\.device) == ["b"])
    #expect(bench.mocks[1].runCount == 1)
  }

  @Test func refusalOfASourceThatDeliveredNothingDisturbsNobody() async throws {
    let bench = try CombinedBench()
    let updates = bench.manager.updates
    await bench.waitUntilRunning(0, 1)
    bench.tick()
    try bench.emit(bench.fix(0), from: 0)
    bench.mocks[1].setAuthorization(.restricted)
    await bench.mocks[1].waitUntilIdle()
    bench.tick()
    try bench.emit(bench.fix(0), from: 0)
    #expect(try await updates.first(2).count == 2)
    #expect(bench.mocks[0].runCount == 1)
  }

  @Test func grantedSourceJoins() async throws {
    let bench = try CombinedBench(authorization: [.denying, .granting])
    let updates = bench.manager.updates
    await bench.waitUntilRunning(1)
    bench.mocks[0].setAuthorization(.authorizedWhenInUse)
    await bench.waitUntilRunning(0)
    #expect(bench.mocks[1].runCount == 1)
    withExtendedLifetime(updates) {}
  }

  @Test func refusalByAllSourcesEndsTheStreams() async throws {
    let bench = try CombinedBench()
    let updates = bench.manager.updates
    await bench.waitUntilRunning(0, 1)
    try bench.mocks[0].emit(.authorization(.denied))
    try bench.mocks[1].emit(.authorization(.denied))
    await #expect { for try await _ in updates {} } throws: { error in
      (error as? LocationError)?.code == .denied
    }
  }

  /// The other source has failed, so none is left for the moment.
  @Test func refusalBesideAFailureWithdraws() async throws {
    let bench = try CombinedBench()
    let (updates, states) = (bench.manager.updates, bench.manager.connectionStates)
    await bench.waitUntilRunning(0, 1)
    try bench.emit(bench.fix(0), from: 1)
    try bench.mocks[0].fail(LocationError(.backendUnavailable, "Gone."))
    _ = try await states.until { $0.problem != nil }
    try bench.mocks[1].emit(.location(bench.fix(5)), .authorization(.denied))
    await bench.mocks[0].waitForCall(count: 2) { if case .runStarted = $0 { true } else { false } }
    #expect(await bench.manager.location == nil)
    await bench.waitUntilRunning(0)
    bench.tick()
    try bench.emit(bench.fix(0), from: 0)
    #expect(try await updates.first(1).map(\.device) == ["a"])
    #expect(bench.mocks[1].runCount == 1)
  }

  /// A source that refuses after each location cannot make the backend restart without end.
  @Test func sourceThatKeepsRefusingIsNotTriedAgainAtOnce() async throws {
    let runs = Locked(0)
    let mock = MockBackend()
    let clock = ManualClock()
    let backend = try CombinedBackend(
      [
        .init(
          "hostile",
          ClosureBackend { _, emit in
            runs.withLock { $0 += 1 }
            let location = try Location(
              latitude: 1, longitude: 1, timestamp: CombinedBench.start)
            emit([.location(location)])
            emit([.location(location), .authorization(.denied)])
            try await clock.sleep(for: .seconds(1_000_000))
          }),
        .init("mock", mock),
      ], configuration: .init(activation: .always), clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    let updates = manager.updates
    await mock.waitForCall(count: 2) { if case .runStarted = $0 { true } else { false } }
    await mock.waitUntilRunning()
    try mock.emit(
      .location(try Location(latitude: 1, longitude: 1, timestamp: CombinedBench.start + 1)))
    #expect(try await updates.first(1).map(\.device) == ["mock"])
    #expect(runs.withLock { $0 } == 1)
  }

  @Test func reducedSourceReducesAll() async throws {
    let key = try ReducedAccuracyKey(bytes: Array(repeating: 7, count: 32)).withOwnTracks()
    let reducing = AskingAuthorizationPolicy(
      temporaryFullAccuracy: { _ in nil }, reducedAccuracyKey: { key },
      { _ in .authorizedWhenInUse.limited(to: .reduced) })
    let clock = ManualClock()
    let mocks = [MockBackend(), MockBackend(policy: reducing)]
    let backend = try CombinedBackend(
      [.init("a", mocks[0]), .init("b", mocks[1])],
      configuration: .init(activation: .always), clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    let updates = manager.updates
    for mock in mocks { await mock.waitUntilRunning() }
    #expect(await manager.authorization().accuracy == .reduced)
    let precise = try Location(
      latitude: 50, longitude: 8, timestamp: CombinedBench.start, horizontalAccuracy: 5)
    try mocks[0].emit(.location(precise))
    let delivered = try #require(try await updates.first(1).first)
    #expect(delivered.coordinate != precise.coordinate)
  }

  /// One source's accuracy becomes reduced: no precise location that is unread is delivered.
  @Test func reductionDiscardsPreciseLocations() async throws {
    let key = try ReducedAccuracyKey(bytes: Array(repeating: 8, count: 32)).withOwnTracks()
    let granting = AskingAuthorizationPolicy(
      temporaryFullAccuracy: { _ in nil }, reducedAccuracyKey: { key },
      { _ in .authorizedWhenInUse })
    let clock = ManualClock()
    let mocks = [MockBackend(), MockBackend(policy: granting)]
    let backend = try CombinedBackend(
      [.init("a", mocks[0]), .init("b", mocks[1])],
      configuration: .init(activation: .always), clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    let updates = manager.updates(UpdateOptions())
    for mock in mocks { await mock.waitUntilRunning() }
    let precise = try Location(
      latitude: 50, longitude: 8, timestamp: CombinedBench.start, horizontalAccuracy: 5)
    try mocks[1].emit(.location(precise))
    mocks[1].setAuthorization(.authorizedWhenInUse.limited(to: .reduced))
    try mocks[1].emit(.location(try precise.with { $0.timestamp += 3_600 }))
    let delivered = try #require(try await updates.first(1).first)
    #expect(delivered.coordinate != precise.coordinate)
    #expect(delivered.speed == nil)
  }
}
