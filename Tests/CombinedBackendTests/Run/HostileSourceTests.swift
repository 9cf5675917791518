import AsyncLocation
import CombinedBackend
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@Suite(.inTurn)
struct HostileSourceTests {
  private typealias Emit = @Sendable ([BackendEvent]) -> Void

  private func location(_ second: Double) -> BackendEvent {
    .location(
      try! Location(latitude: 50, longitude: 8, timestamp: CombinedBench.start + second))
  }

  @Test func nothingIsEmittedAfterTheEnd() async throws {
    let kept = Locked<Emit?>(nil)
    let clock = ManualClock()
    let source = ClosureBackend { _, emit in
      kept.withLock { $0 = emit }
      emit([location(0)])
      try? await clock.sleep(for: .seconds(60))
      emit([location(1)])
    }
    let backend = try CombinedBackend([.init("hostile", source)], clock: clock)
    let run = BareRun(backend)
    await run.wait { !$0.locations.isEmpty }
    await run.cancel()
    let count = run.events.count
    let emit = try #require(kept.withLock { $0 })
    emit([location(2), .connection(ConnectionState(.waiting)), .authorization(.denied)])
    #expect(run.events.count == count)
  }

  @Test func returnedSourceCannotEmit() async throws {
    let kept = Locked<Emit?>(nil)
    let mock = MockBackend()
    let backend = try CombinedBackend(
      [
        .init(
          "hostile",
          ClosureBackend { _, emit in
            emit([location(0)])
            kept.withLock { $0 = emit }
          }), .init("mock", mock),
      ], clock: ManualClock())
    let run = BareRun(backend)
    await mock.waitUntilRunning()
    let emit = try #require(kept.withLock { $0 })
    emit([location(5)])
    try mock.emit(location(6))
    #expect(run.events.locations.map(\.device) == ["hostile", "mock"])
    await run.cancel()
  }

  @Test func sourcesThatFailAtOnceEndTheRun() async throws {
    let absent = ClosureBackend { _, _ in
      throw LocationError(.backendUnavailable, "There is none.")
    }
    struct Foreign: Error {}
    let backend = try CombinedBackend(
      [
        .init("a", absent), .init("b", ClosureBackend { _, _ in throw Foreign() }),
        .init("c", absent),
      ], clock: ManualClock())
    let error = await BareRun(backend).end() as? LocationError
    #expect(error?.code == .backendUnavailable)
    #expect(
      error?.message
        == "a: There is none. b: The backend failed: Foreign(). c: There is none.")
  }

  @Test func callsFromSeveralThreadsAreMadeOneAtATime() async throws {
    let source = ClosureBackend { _, emit in
      await withTaskGroup { group in
        for thread in 0..<4 {
          group.addTask {
            for number in 0..<250 { emit([location(Double(thread * 1_000 + number))]) }
          }
        }
      }
    }
    let backend = try CombinedBackend(
      [.init("a", source), .init("b", source)], configuration: .init(activation: .always),
      clock: ManualClock())
    let calls = Locked((current: 0, overlaps: 0))
    try await backend.run(BackendDemand(kinds: .all)) { _ in
      calls.withLock { calls in
        calls.current += 1
        if calls.current > 1 { calls.overlaps += 1 }
      }
      calls.withLock { $0.current -= 1 }
    }
    #expect(calls.withLock { $0.overlaps } == 0)
  }

  @Test func absurdTimesBlockNobody() async throws {
    let bench = try CombinedBench()
    let updates = bench.manager.updates
    await bench.waitUntilRunning(0, 1)
    for (second, year) in [9_999, 1, 1_970, 9_999].enumerated() {
      bench.tick()
      try bench.emit(
        Location(latitude: 50, longitude: 8, timestamp: date(year, 1, 1, 0, 0, Double(second))),
        from: 0)
      try bench.emit(bench.fix(0), from: 1)
    }
    for _ in 0..<20 {
      bench.tick()
      try bench.emit(bench.fix(0), from: 1)
    }
    let devices = try await updates.until { $0.device == "b" }.map(\.device)
    #expect(devices.first == "a")
    #expect(devices.last == "b")
  }

  @Test func sourceThatEmitsWithoutEndIsBounded() async throws {
    let source = ClosureBackend { _, emit in
      for number in 0..<100 { emit((0..<100).map { location(Double(number * 100 + $0)) }) }
    }
    let backend = try CombinedBackend([.init("a", source)], clock: ManualClock())
    let run = BareRun(backend)
    await run.end()
    #expect(run.events.locations.count == 10_000)
  }

  @Test func secondRunIsRefused() async throws {
    let bench = try CombinedBench()
    let run = BareRun(bench.backend)
    await bench.waitUntilRunning(0, 1)
    let error = await BareRun(bench.backend).end() as? LocationError
    #expect(error?.code == .unsupported)
    await run.cancel()
    #expect(bench.mocks.map(\.isRunning) == [false, false])
  }

  @Test(arguments: ["", "a:b", "a\u{7}", String(repeating: "x", count: 65)])
  func nameIsChecked(_ name: String) {
    #expect(throws: LocationError.self) {
      try CombinedBackend([.init(name, MockBackend())], clock: ManualClock())
    }
  }

  @Test func configurationIsChecked() {
    let invalid: [CombinedConfiguration] = [
      .init(fixTimeout: .zero), .init(fixTimeout: .seconds(3_601)),
      .init(returnDelay: .seconds(-1)), .init(acceptableAccuracy: .nan),
      .init(acceptableAccuracy: 0),
    ]
    for configuration in invalid {
      #expect(throws: LocationError.self) {
        try CombinedBackend(
          [.init("a", MockBackend())], configuration: configuration, clock: ManualClock())
      }
    }
    #expect(throws: LocationError.self) { try CombinedBackend([], clock: ManualClock()) }
    #expect(throws: LocationError.self) {
      try CombinedBackend(
        [.init("a", MockBackend()), .init("a", MockBackend())], clock: ManualClock())
    }
  }

  @Test func capabilitiesAreTheUnion() throws {
    func combined(_ all: BackendCapabilities...) throws -> BackendCapabilities {
      try CombinedBackend(
        all.enumerated().map { .init("\($0)", MockBackend(capabilities: $1)) },
        clock: ManualClock()
      ).capabilities
    }
    #expect(try combined(.locations, .headings) == [.locations, .headings])
    #expect(try combined([.locations, .pausing], .headings) == [.locations, .headings, .pausing])
    #expect(try combined([.locations, .pausing], .locations) == .locations)
  }
}
