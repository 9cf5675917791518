import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn)
struct PauseStreamTests {
  private static let stay = Track().then().stay(150)  // Paused at second 120, on foot.
  private static let walk = stay.move(east: 200, at: 2)
  private static let onFoot = UpdateOptions(
    activityType: .fitness, pausesAutomatically: true, buffering: .newest(4_096))
  private static let paused = PauseEvent(isPaused: true, activityType: .fitness)
  private static let resumed = PauseEvent(isPaused: false, activityType: .fitness)

  @Test func updatesPauseAndResume() async throws {
    let bench = ManagerBench()
    let (pausing, nonpausing) = (bench.manager.updates(Self.onFoot), bench.manager.updates)
    let events = bench.manager.pauseEvents
    try await bench.feed(Self.walk)
    await bench.manager.shutdown()
    let seconds = await pausing.all().elements.seconds
    // Updates resume beyond one and a half radii, 45 m from the place.
    #expect(seconds == .seconds(0...120, 173...250))
    #expect(await nonpausing.all().elements.count == 251)
    #expect(await events.all().elements == [Self.paused, Self.resumed])
  }

  /// A subscriber that joined a paused receiver pauses later, and resumes together with the others.
  @Test func separatelyPausedSubscribersResumeTogether() async throws {
    let bench = ManagerBench()
    let first = bench.manager.updates(Self.onFoot)
    try await bench.feed(Self.stay)
    let (second, live) = (
      bench.manager.updates(Self.onFoot), bench.manager.liveUpdates(.fitness)
    )
    let both = Self.stay.stay(150)
    try await bench.feed(both, after: Self.stay)
    let walk = both.move(east: 200, at: 2)
    try await bench.feed(walk, after: both)
    await bench.manager.shutdown()
    let seconds = await (first.all().elements.seconds, second.all().elements.seconds)
    #expect(seconds.0 == .seconds(0...120, 323...400))
    #expect(seconds.1 == .seconds(151...271, 323...400))
    #expect(await live.all().elements.compactMap(\.location).seconds == seconds.1)
  }

  @Test func liveUpdatesPauseAndResume() async throws {
    let bench = ManagerBench()
    let (live, nonpausing) = (bench.manager.liveUpdates(.fitness), bench.manager.liveUpdates)
    try await bench.feed(Self.stay)
    try bench.backend.emit(.unavailable(LocationError(.locationUnknown, "No fix.")))
    try await bench.feed(Self.walk, after: Self.stay)
    await bench.manager.shutdown()
    let updates = await live.all().elements
    let locations = updates.filter { $0.location != nil }
    #expect(locations.count == 121 + 78)
    #expect(locations.indices.filter { locations[$0].diagnostics.contains(.stationary) } == [120])
    #expect(updates.contains { $0.location == nil && $0.diagnostics == .locationUnavailable })
    let all = await nonpausing.all().elements.filter { $0.location != nil }
    #expect(all.count == 251)
    #expect(all.count { $0.diagnostics.contains(.stationary) } > 50)
  }

  /// Pause events contain no location. Without the resumption, the pause would seem to last.
  @Test func bufferedPauseEventsAreDeliveredAfterAWithdrawal() async throws {
    let bench = ManagerBench()
    let pausing = bench.manager.updates(Self.onFoot)
    let events = bench.manager.pauseEvents
    try await bench.feed(Self.walk)
    bench.backend.setAuthorization(.denied)
    try await bench.backend.settle()
    await bench.manager.shutdown()
    #expect(await pausing.all().elements.isEmpty)
    #expect(await events.all().elements.starts(with: [Self.paused, Self.resumed]))
  }

  @Test func aBatchCanResumeAPausedStream() async throws {
    let bench = ManagerBench()
    let (updates, live) = (
      bench.manager.updates(Self.onFoot), bench.manager.liveUpdates(.fitness)
    )
    let events = bench.manager.pauseEvents
    try await bench.feed(Self.stay)
    let rest = try Self.walk.locations().dropFirst(Self.stay.fixes.count).map(\.location)
    bench.clock.advance(by: .seconds(100))
    try bench.backend.emit(rest.map { BackendEvent.location($0) })
    await bench.manager.shutdown()
    #expect(await updates.all().elements.seconds.dropFirst(121).first == 173)
    #expect(await live.all().elements.compactMap(\.location).seconds.dropFirst(121).first == 173)
    #expect(await events.all().elements == [Self.paused, Self.resumed])
  }

  @Test func pausingStreamsApplyTheirFilter() async throws {
    let bench = ManagerBench()
    var options = Self.onFoot
    options.minimumInterval = .seconds(10)
    let updates = bench.manager.updates(options)
    try await bench.feed(Self.stay)
    await bench.manager.shutdown()
    #expect(await updates.all().elements.seconds == (0...12).map { Double($0 * 10) })
  }

  @Test func implausibleJumpsAreNotDelivered() async throws {
    let bench = ManagerBench()
    let (car, unfiltered) = (
      bench.manager.updates(UpdateOptions(activityType: .automotiveNavigation)),
      bench.manager.updates
    )
    try await bench.feed(Track().then().then(east: 5_000).then(east: 20))
    await bench.manager.shutdown()
    #expect(await car.all().elements.seconds == [0, 2])
    #expect(await unfiltered.all().elements.seconds == [0, 1, 2])
  }

  @Test func onlyTheNamedReceiverPausesAStream() async throws {
    let bench = ManagerBench()
    var options = Self.onFoot
    options.device = "a"
    let updates = bench.manager.updates(options)
    let events = bench.manager.pauseEvents
    try await bench.feed(Track().then().stay(200), device: "b")
    try await bench.feed(Track().then(1_000).stay(150), device: "a")
    await bench.manager.shutdown()
    #expect(await updates.all().elements.count == 121)
    #expect(
      await events.all().elements
        == [PauseEvent(isPaused: true, activityType: .fitness, device: "a")])
  }

  // MARK: New subscribers

  @Test func aNewSubscriberIsNotPausedWithTheOthers() async throws {
    let bench = ManagerBench(capabilities: [.all, .pausing])
    let first = bench.manager.updates(Self.onFoot)
    try await bench.feed(Self.stay)
    await bench.untilBackend(isPaused: true)
    let second = bench.manager.updates(Self.onFoot)
    await bench.untilBackend(isPaused: false)
    let events = bench.manager.pauseEvents
    try await bench.feed(Self.stay.stay(50), after: Self.stay)
    await bench.manager.shutdown()
    #expect(await first.all().elements.seconds.last == 120)
    #expect(await second.all().elements.seconds == .seconds(151...200))
    #expect(await events.all().elements == [Self.paused])  // The first subscriber is still paused.
  }

  @Test func unsubscribingEmitsNoResumeEvent() async throws {
    let bench = ManagerBench()
    var updates: LocationUpdates? = bench.manager.updates(Self.onFoot)
    let (nonpausing, events) = (bench.manager.updates, bench.manager.pauseEvents)
    try await bench.feed(Self.stay)
    _ = updates
    updates = nil
    let late = bench.manager.pauseEvents
    await bench.manager.shutdown()
    #expect(await late.all().elements.isEmpty)
    #expect(await events.all().elements == [Self.paused])
    _ = nonpausing
  }

  /// A refusal ends the paused stream, but not the live one.
  @Test func theEndOfAPausedStreamResumesItsActivityType() async throws {
    let bench = ManagerBench()
    let updates = bench.manager.updates(Self.onFoot)
    var events = bench.manager.pauseEvents.makeAsyncIterator()
    try await bench.feed(Self.stay)
    #expect(await events.next() == Self.paused)
    let live = bench.manager.liveUpdates(.fitness)
    bench.backend.setAuthorization(.denied)
    #expect(await events.next() == Self.resumed)
    _ = (updates, live)
  }

  // MARK: The receiver

  @Test func theReceiverStopsWhenEverySubscriberIsPaused() async throws {
    let bench = ManagerBench(capabilities: [.all, .pausing])
    let (updates, live) = (
      bench.manager.updates(Self.onFoot), bench.manager.liveUpdates(.default)
    )
    let headings = bench.manager.headings
    let longStay = Self.stay.stay(40)
    try await bench.feed(longStay)
    await bench.untilBackend(isPaused: true)  // At second 180.
    #expect(bench.backend.demand?.kinds == [.locations, .headings])
    try await bench.feed(longStay.move(east: 200, at: 2), after: longStay)
    await bench.untilBackend(isPaused: false)
    let pauses = bench.backend.calls.compactMap { call -> Bool? in
      if case .demandApplied(let demand) = call { demand.isPaused } else { nil }
    }
    #expect(pauses.count { $0 } == 1)
    #expect(pauses.last == false)
    _ = (updates, live, headings)
  }

  @Test func nonPausingSubscriberKeepsTheBackendRunning() async throws {
    let bench = ManagerBench(capabilities: [.all, .pausing])
    let updates = bench.manager.updates(Self.onFoot)
    var nonpausing: LocationUpdates? = bench.manager.updates(UpdateOptions())
    try await bench.feed(Self.stay)
    #expect(bench.backend.demand?.isPaused == false)
    _ = nonpausing
    nonpausing = nil
    await bench.untilBackend(isPaused: true)
    _ = updates
  }

  @Test func aLocationRequestResumesThePausedBackend() async throws {
    let bench = ManagerBench(capabilities: [.all, .pausing])
    let updates = bench.manager.updates(Self.onFoot)
    try await bench.feed(Self.stay)
    await bench.untilBackend(isPaused: true)
    let manager = bench.manager
    let request = Task.immediate { try await manager.currentLocation() }
    await bench.untilBackend(isPaused: false)
    try await bench.feed(Self.stay.then(), after: Self.stay)
    #expect(try [await request.value].seconds == [151])
    await bench.untilBackend(isPaused: true, count: 2)
    await manager.shutdown()
    #expect(await updates.all().elements.seconds.last == 120)
  }

  @Test func aBackendWithoutPausingGetsNoPausedDemand() async throws {
    let bench = ManagerBench()
    let updates = bench.manager.updates(Self.onFoot)
    try await bench.feed(Self.stay)
    let headings = bench.manager.headings  // A change of demand, which is applied after the pause.
    await bench.backend.waitForCall(
      .demandApplied(BackendDemand(kinds: [.locations, .headings])))
    try await bench.feed(Self.walk, after: Self.stay)
    await bench.manager.shutdown()
    _ = headings
    #expect(
      !bench.backend.calls.contains { call in
        if case .demandApplied(let demand) = call { demand.isPaused } else { false }
      })
    #expect(await updates.all().elements.count < 251)
  }

  // MARK: Starting over

  @Test func reducedAccuracyResumesAPausedStream() async throws {
    let bench = ManagerBench(capabilities: [.all, .pausing])
    let (updates, events) = (bench.manager.updates(Self.onFoot), bench.manager.pauseEvents)
    try await bench.feed(Self.stay)
    await bench.untilBackend(isPaused: true)
    bench.backend.setAuthorization(.authorizedWhenInUse.limited(to: .reduced))
    await bench.untilBackend(isPaused: false)
    try await bench.feed(Self.stay.stay(200), after: Self.stay)
    await bench.manager.shutdown()
    #expect(await events.all().elements == [Self.paused, Self.resumed])
    #expect(await updates.all().elements.count == 200)  // The precise locations were withdrawn.
  }

  @Test func aNewRunResumesAPausedStream() async throws {
    let bench = ManagerBench(capabilities: [.all, .pausing])
    let (updates, events) = (bench.manager.updates(Self.onFoot), bench.manager.pauseEvents)
    try await bench.feed(Self.stay)
    await bench.untilBackend(isPaused: true)
    await bench.manager.setInUse(false)
    await bench.backend.waitUntilIdle()
    await bench.manager.setInUse(true)
    await bench.backend.waitUntilRunning()
    #expect(bench.backend.demand?.isPaused == false)
    await bench.manager.shutdown()
    #expect(await events.all().elements == [Self.paused, Self.resumed])
    _ = updates
  }

  @Test func pauseEventsStartNoRunAndEndAtShutdown() async throws {
    let bench = ManagerBench()
    let events = bench.manager.pauseEvents
    #expect(bench.backend.backendCalls.isEmpty)
    await bench.manager.shutdown()
    #expect(await events.all().elements.isEmpty)
    #expect(await bench.manager.pauseEvents.all().elements.isEmpty)
  }
}
