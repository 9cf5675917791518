import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import MQTTBackend

/// The messages that a fleet must not miss, or whose loss it reports.
@Suite(.inTurn) struct FleetLossTests {
  /// A vehicle sends its stored locations, and then its connection breaks.
  @Test func aLastWillIsAcceptedBeyondTheRate() {
    let test = TestFleet(limits: FleetLimits(messagesPerSecond: 1, burst: 20))
    for second in 0..<20 { test.hub.receive("a/a", "\(100 + second)") }
    test.hub.receive("a/a", "120")
    test.hub.receive("a/a", "malformed")
    #expect(test.fleet.statistics.rateLimited == 2)
    test.hub.receive("a/a", "will")
    test.hub.flush()
    #expect(test.fleet.device(id("a/a"))?.presence == .offline)
    #expect(test.fleet.statistics.wills == 1)
    // Only one will is accepted until the device reports again.
    test.hub.receive("a/a", "will")
    test.hub.receive("a/a", "121")
    #expect(test.fleet.statistics.wills == 1)
    #expect(test.fleet.statistics.rateLimited == 4)
    #expect(test.fleet.statistics.delivered == 20)
  }

  @Test func anExpiredConditionHasNoEvents() async throws {
    let test = TestFleet()
    let condition = try Condition.circle(
      center: Coordinate(latitude: 47, longitude: 8), radius: 1_000
    ).expiring(at: Date(timeIntervalSinceReferenceDate: testNow - 3_600))
    try test.fleet.add(condition, identifier: "depot")
    let events = test.fleet.events
    test.hub.receive("a/a", "\(testNow) 47")
    test.hub.flush()
    await test.fleet.shutdown()
    for try await event in events { Issue.record("\(event)") }
  }

  /// The first message of a device may have been missed.
  @Test func interruptionIsReportedWithoutDevices() async throws {
    let test = TestFleet()
    let changes = test.fleet.changes
    test.hub.connected(NoChannel(), resumesSession: false)
    test.hub.disconnected()
    test.hub.connected(NoChannel(), resumesSession: false)
    await test.fleet.shutdown()
    var received: [FleetChange] = []
    for try await change in changes { received.append(change) }
    #expect(received == [.interrupted])
  }
}
