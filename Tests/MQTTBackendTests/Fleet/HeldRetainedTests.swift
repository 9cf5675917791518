import AsyncLocation
import FoundationEssentials
import LocationFleet
import MockBackend
import TestSupport
import Testing

@testable import MQTTBackend

/// A run that continues the session of an earlier one: the broker sends the retained locations
/// before most of what it kept.
@Suite(.inTurn) struct HeldRetainedTests {
  private final class Channel: BrokerChannel {
    let limits = BrokerLimits()
    var submit: @Sendable (@escaping @Sendable () -> Void) -> Void { { $0() } }
    func publish(_ payload: [UInt8], to topic: String, retained: Bool) -> PublicationOutcome {
      .broken
    }
    func drop(reconnects: Bool) {}
  }

  private static func resumed(limits: FleetLimits = FleetLimits()) -> TestFleet {
    let test = TestFleet(limits: limits)
    test.hub.connected(Channel(), resumesSession: true)
    return test
  }

  private static func times(_ updates: FleetUpdates) async throws -> [Double] {
    var times: [Double] = []
    for try await update in updates {
      times.append(update.location.timestamp.timeIntervalSinceReferenceDate)
    }
    return times
  }

  @Test("the locations of the session are delivered in order, with the events between")
  func keepsTheOrder() async throws {
    let test = Self.resumed()
    try test.fleet.add(depot, identifier: "depot")
    let (updates, events) = (test.fleet.updates, test.fleet.events)
    test.hub.receive("a/a", "0 48")
    test.hub.receive("a/a", "299 48", isRetained: true)
    for time in 1...298 { test.hub.receive("a/a", "\(time) \((30..<60).contains(time) ? 47 : 48)") }
    test.hub.receive("a/a", "299 48")
    test.hub.flush()
    await test.clock.waitForSleepers()
    test.clock.advance(by: .seconds(2))
    while test.hub.statistics.duplicates == 0 { await Task.yield() }
    await test.fleet.shutdown()
    #expect(try await Self.times(updates) == (0...299).map(Double.init))
    var states: [Monitor.State] = []
    for try await event in events { states.append(event.state) }
    #expect(states == [.satisfied, .unsatisfied])
    #expect(test.hub.statistics.stale == 0)
  }

  @Test("the location of a device that is silent follows after two seconds without a message")
  func silentDevice() async throws {
    let test = Self.resumed()
    var updates = test.fleet.updates.makeAsyncIterator()
    test.hub.receive("a/a", "5", isRetained: true)
    test.hub.receive("b/b", "6")
    test.hub.flush()
    #expect(try await updates.next()?.device == id("b/b"))
    #expect(test.fleet.device(id("a/a"))?.location == nil)
    await test.clock.waitForSleepers()
    test.clock.advance(by: .seconds(2))
    #expect(try await updates.next() == update("a/a", at: 5, isRetained: true))
    #expect(test.fleet.device(id("a/a"))?.presence == .unknown)
    // Later ones are not held.
    test.hub.receive("c/c", "7", isRetained: true)
    test.hub.flush()
    #expect(try await updates.next()?.device == id("c/c"))
  }

  @Test("a fleet whose devices are never silent holds them for the time-out at most")
  func busyFleet() async throws {
    let test = Self.resumed()
    test.hub.receive("a/a", "5", isRetained: true)
    test.hub.flush()
    for second in 1...45 {
      await test.clock.waitForSleepers()
      #expect(test.fleet.device(id("a/a"))?.location == nil)
      test.hub.receive("b/b", "\(second)")
      test.hub.flush()
      test.clock.advance(by: .seconds(1))
    }
    while test.fleet.device(id("a/a"))?.location == nil { await Task.yield() }
  }

  @Test("a new session, a later connection and a fleet without a time-out hold nothing")
  func holdsNothing() {
    let tests = [
      TestFleet(), Self.resumed(limits: FleetLimits(gapTimeout: .zero)), TestFleet(), TestFleet(),
    ]
    tests[2].hub.connected(Channel(), resumesSession: false)
    tests[3].hub.connected(Channel(), resumesSession: false)
    tests[3].hub.connected(Channel(), resumesSession: true)
    for test in tests {
      test.hub.receive("a/a", "5", isRetained: true)
      #expect(test.fleet.device(id("a/a"))?.location != nil)
    }
  }

  @Test("what is held at the end, or of a forgotten device, is not delivered")
  func discards() async throws {
    let test = Self.resumed()
    let updates = test.fleet.updates
    test.hub.receive("a/a", "5", isRetained: true)
    test.hub.receive("b/a", "6", isRetained: true)
    test.fleet.forget(id("a/a"))
    await test.clock.waitForSleepers()
    test.clock.advance(by: .seconds(2))
    while test.fleet.device(id("b/a")) == nil { await Task.yield() }
    await test.fleet.shutdown()
    #expect(try await Self.times(updates) == [6])

    let ended = Self.resumed()
    let none = ended.fleet.updates
    ended.hub.receive("a/a", "5", isRetained: true)
    await ended.fleet.shutdown()
    #expect(try await Self.times(none) == [])
  }
}
