import AsyncLocation
import CombinedBackend
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@Suite(.inTurn)
struct TakeoverTests {
  @Test func spareStartsWhenThePreferredSourceHasNoFix() async throws {
    let bench = try CombinedBench(2, .init())
    let updates = bench.manager.updates
    await bench.waitUntilRunning(0)
    #expect(bench.mocks[1].runCount == 0)
    await bench.clock.waitForSleepers()
    bench.tick(10)
    await bench.waitUntilRunning(1)
    try bench.emit(bench.fix(0), from: 1)
    #expect(try await updates.first(1).map(\.device) == ["b"])
  }

  @Test func spareDoesNotStartWhileThePreferredSourceHasFixes() async throws {
    let bench = try CombinedBench(2, .init())
    let updates = bench.manager.updates
    await bench.waitUntilRunning(0)
    for _ in 0..<100 {
      bench.tick()
      try bench.emit(bench.fix(0), from: 0)
    }
    #expect(try await updates.first(100).allSatisfy { $0.device == "a" })
    #expect(bench.mocks[1].runCount == 0)
  }

  @Test func spareStopsAfterThePreferredSourceHasProvenItself() async throws {
    let bench = try CombinedBench(2, .init())
    let updates = bench.manager.updates
    await bench.waitUntilRunning(0)
    await bench.clock.waitForSleepers()
    bench.tick(10)
    await bench.waitUntilRunning(1)
    for second in 0..<40 {
      bench.tick()
      if bench.mocks[1].isRunning { try bench.emit(bench.fix(0), from: 1) }
      if second >= 5 { try bench.emit(bench.fix(0), from: 0) }
    }
    await bench.mocks[1].waitUntilIdle()
    // 30 s after its first fix the preferred source is in force again.
    let expected = Array(repeating: "b", count: 35) + Array(repeating: "a", count: 5)
    #expect(try await updates.first(40).map(\.device) == expected)
    #expect(bench.mocks[0].runCount == 1)
    #expect(bench.mocks[1].runCount == 1)
  }

  @Test func failedSourceIsReplacedAtOnce() async throws {
    let bench = try CombinedBench(2, .init())
    let (updates, states) = (bench.manager.updates, bench.manager.connectionStates)
    await bench.waitUntilRunning(0)
    try bench.emit(bench.fix(0), from: 0)
    try bench.mocks[0].fail(LocationError(.notGPSD, "It is a printer."))
    await bench.waitUntilRunning(1)
    try bench.emit(bench.fix(0), from: 1)
    #expect(try await updates.first(2).map(\.device) == ["a", "b"])
    let seen = try await states.until { $0.preferredReceiver == "b" }
    let last = try #require(seen.last)
    #expect(last.phase == .connected)
    #expect(last.problem?.code == .notGPSD)
    #expect(last.problem?.message == "a: It is a printer.")
  }

  @Test func runFailsWhenNoSourceIsLeft() async throws {
    let bench = try CombinedBench(3)
    let updates = bench.manager.updates
    await bench.waitUntilRunning(0, 1, 2)
    try bench.mocks[2].fail(LocationError(.connectionLost, "Three."))
    try bench.mocks[0].fail(LocationError(.notGPSD, "One."))
    try bench.mocks[1].end()
    let error = await #expect(throws: LocationError.self) {
      for try await _ in updates {}
    }
    #expect(error?.code == .notGPSD)
    #expect(error?.message == "a: One. c: Three. b: The source has ended.")
  }

  @Test func runEndsWhenAllSourcesEnd() async throws {
    let bench = try CombinedBench(2)
    let updates = bench.manager.updates
    await bench.waitUntilRunning(0, 1)
    try bench.mocks[0].end()
    try bench.mocks[1].end()
    for try await _ in updates {}
  }

  @Test func lossIsReportedOnlyWhenNoSourceHasAFix() async throws {
    let bench = try CombinedBench(2)
    let run = BareRun(bench.backend)
    await bench.waitUntilRunning(0, 1)
    try bench.emit(bench.fix(0), from: 1)
    try bench.mocks[0].emit(.unavailable(LocationError(.locationUnknown, "No sky.")))
    bench.tick(5)
    try bench.mocks[1].emit(.unavailable(LocationError(.locationUnknown, "No masts.")))
    #expect(run.events.losses == [])
    bench.tick(5)
    await run.wait { !$0.losses.isEmpty }
    #expect(run.events.losses.map(\.message) == ["a: No sky. b: No masts."])
    try bench.emit(bench.fix(0), from: 1)
    #expect(run.events.locations.map(\.device) == ["b", "b"])
    await run.cancel()
  }

  @Test func silentSourceIsReportedAsLost() async throws {
    let bench = try CombinedBench(2)
    let run = BareRun(bench.backend)
    await bench.waitUntilRunning(0, 1)
    try bench.emit(bench.fix(0), from: 1)
    await bench.clock.waitForSleepers()
    bench.tick(10)
    await run.wait { !$0.losses.isEmpty }
    #expect(run.events.losses.map(\.message) == ["b has no fix, and no other source has one."])
    await run.cancel()
  }

  /// A source with a fix in every other second is in force throughout; one that loses its fix for
  /// longer than the timeout changes at most twice in each period.
  @Test(.longWork, arguments: [(1, 0), (11, 180), (25, 147)])
  func flappingSourceSwitchesRarely(_ period: Int, _ limit: Int) async throws {
    let bench = try CombinedBench(2)
    let updates = bench.manager.updates(UpdateOptions(buffering: .newest(16_384)))
    await bench.waitUntilRunning(0, 1)
    for second in 0..<3_600 {
      bench.tick()
      try bench.emit(bench.fix(0), from: 1)
      if second / period % 2 == 0 {
        try bench.emit(bench.fix(0), from: 0)
      } else {
        try bench.mocks[0].emit(.unavailable(LocationError(.locationUnknown, "Flapping.")))
      }
    }
    await bench.manager.shutdown()
    var devices: [String] = []
    for try await location in updates {
      if devices.last != location.device { devices.append(location.device ?? "none") }
    }
    #expect(devices.first == "b")
    #expect(devices.count - 1 <= limit)
  }

  @Test func poorFixesAreUsedOnlyWithoutBetterOnes() async throws {
    let bench = try CombinedBench(2)
    let updates = bench.manager.updates
    await bench.waitUntilRunning(0, 1)
    try bench.emit(bench.fix(0, accuracy: 500), from: 0)
    bench.tick()
    try bench.emit(bench.fix(0, accuracy: 20), from: 1)
    bench.tick()
    try bench.emit(bench.fix(0, accuracy: 500), from: 0)
    try bench.emit(bench.fix(0, accuracy: 20), from: 1)
    #expect(try await updates.first(3).map(\.device) == ["a", "b", "b"])
  }

  @Test func spareIsSelectedByName() async throws {
    let bench = try CombinedBench(2)
    let all = bench.manager.updates
    let named = bench.manager.updates(UpdateOptions(device: "b:/dev/gps0"))
    await bench.waitUntilRunning(0, 1)
    try bench.emit(bench.fix(1, device: "/dev/gps0"), from: 0)
    bench.tick()
    try bench.emit(bench.fix(2, device: "/dev/gps0"), from: 1)
    bench.tick()
    try bench.emit(bench.fix(3, device: "/dev/gps0"), from: 0)
    #expect(try await all.first(2).map(\.device) == ["a:/dev/gps0", "a:/dev/gps0"])
    #expect(try await named.first(1).map(\.device) == ["b:/dev/gps0"])
  }

  @Test func namedSourceRunsAlone() async throws {
    let bench = try CombinedBench(2, .init())
    let named = bench.manager.updates(UpdateOptions(device: "b"))
    await bench.waitUntilRunning(1)
    #expect(bench.mocks[1].demand?.devices == nil)
    #expect(bench.mocks[0].runCount == 0)
    try bench.emit(bench.fix(2), from: 1)
    #expect(try await named.first(1).map(\.device) == ["b"])
  }

  @Test func demandReachesEachSource() async throws {
    let bench = try CombinedBench(capabilities: [.locations, .all])
    let updates = bench.manager.updates(UpdateOptions(desiredAccuracy: .hundredMeters))
    await bench.waitUntilRunning(0, 1)
    #expect(bench.mocks[0].demand?.desiredAccuracy == .hundredMeters)
    let headings = bench.manager.headings
    await bench.mocks[1].waitForCall {
      if case .demandApplied(let demand) = $0 { demand.kinds.contains(.headings) } else { false }
    }
    #expect(bench.mocks[0].demand?.kinds == .locations)
    withExtendedLifetime((updates, headings)) {}
  }

  @Test func headingsComeFromTheSourceInForceOrTheMostPreferredOneThatHasThem() async throws {
    let bench = try CombinedBench(capabilities: [.locations, .all])
    let (updates, headings) = (bench.manager.updates, bench.manager.headings)
    let views = bench.manager.satellites
    await bench.waitUntilRunning(0, 1)
    try bench.emit(bench.fix(0), from: 0)
    try bench.mocks[1].emit(
      .heading(try Heading(trueHeading: 90, timestamp: CombinedBench.start, source: .compass)),
      .satellites(try SatelliteView(satellites: [Satellite(prn: 3, isUsed: true)])))
    #expect(try await headings.first(1).map { $0.sourceInformation?.device } == ["b"])
    #expect(try await views.first(1).map { $0.sourceInformation?.device } == ["b"])
    withExtendedLifetime(updates) {}
  }

  @Test func anotherSkyIsNotShown() async throws {
    let bench = try CombinedBench(2)
    let (updates, views) = (bench.manager.updates, bench.manager.satellites)
    await bench.waitUntilRunning(0, 1)
    try bench.emit(bench.fix(0), from: 0)
    for (prn, source) in [(3, 1), (4, 0)] {
      try bench.mocks[source].emit(
        .satellites(try SatelliteView(satellites: [Satellite(prn: prn, isUsed: true)])))
    }
    #expect(try await views.first(1).map { $0.satellites.map(\.prn) } == [[4]])
    withExtendedLifetime(updates) {}
  }

  @Test func sourcesThatReportNothingAreNoOutage() async throws {
    let bench = try CombinedBench(2)
    let (updates, states) = (bench.manager.updates, bench.manager.connectionStates)
    await bench.waitUntilRunning(0, 1)
    try bench.mocks[0].emit(.connection(ConnectionState(.connected, endpoint: "here")))
    try bench.mocks[1].emit(
      .connection(
        ConnectionState(
          .waiting, attempts: 3, retryDelay: .seconds(4),
          problem: LocationError(.backendUnavailable, "Absent."))))
    let last = try #require(try await states.until { $0.problem != nil }.last)
    #expect(last.phase == .connected)
    #expect(last.endpoint == "a (here)")
    #expect(last.attempts == 0)
    #expect(last.problem?.message == "b: Absent.")
    try bench.mocks[0].emit(
      .connection(ConnectionState(.waiting, attempts: 1, retryDelay: .seconds(1))))
    let outage = try #require(try await states.until { $0.phase == .waiting }.last)
    #expect(outage.retryDelay == .seconds(1))
    #expect(outage.attempts == 3)
    withExtendedLifetime(updates) {}
  }
}
