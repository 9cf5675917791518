import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import MQTTBackend

@Suite(.inTurn) struct FleetConditionTests {
  @Test func reportsChangesOfEachDevice() async throws {
    let test = TestFleet()
    let revision = try test.fleet.add(depot, identifier: "depot")
    var events = test.fleet.events.makeAsyncIterator()
    test.hub.receive("a/a", "100 47")
    test.hub.receive("b/b", "100 48", isRetained: true)
    // Twenty seconds on the other side confirm a crossing.
    for time in [101, 121] {
      test.hub.receive("a/a", "\(time) 48")
      test.hub.receive("b/b", "\(time) 47", isRetained: true)
    }
    test.hub.flush()
    for expected in [
      FleetEvent(
        device: id("a/a"), identifier: "depot", previousState: .unknown, state: .satisfied,
        location: location(at: 100), revision: revision),
      FleetEvent(
        device: id("a/a"), identifier: "depot", previousState: .satisfied, state: .unsatisfied,
        location: location(at: 121, latitude: 48), revision: revision),
      FleetEvent(
        device: id("b/b"), identifier: "depot", previousState: .unsatisfied, state: .satisfied,
        location: location(at: 121), isRetained: true, revision: revision),
    ] {
      #expect(try await events.next() == expected)
    }
    #expect(test.fleet.conditions(satisfiedBy: id("a/a")) == [])
    #expect(test.fleet.conditions(satisfiedBy: id("b/b")) == ["depot"])
    #expect(test.fleet.conditions(satisfiedBy: id("c/c")) == [])
  }

  @Test(
    "a device that finds its location suspect enters no area, if the options say so",
    arguments: [false, true])
  func leavesOutSuspectLocations(_ omits: Bool) async throws {
    let broker = MockBroker()
    let fleet = try Fleet(
      FleetConfiguration(crossing: CrossingOptions(omitsSuspectLocations: omits)), broker: broker)
    try fleet.add(depot, identifier: "depot")
    let events = fleet.events
    _ = fleet.devices
    var suspect = location(at: 100)
    suspect.integrity = LocationIntegrity(reasons: .jump)
    broker.publish(suspect, from: id("a/a"))
    broker.publish(location(at: 200), from: id("b/b"))
    await fleet.shutdown()
    var devices: [FleetDevice.ID] = []
    for try await event in events { devices.append(event.device) }
    #expect(devices == (omits ? [id("b/b")] : [id("a/a"), id("b/b")]))
  }

  /// A condition for another place gets the identifier while an event of the first one is unread.
  @Test func eventsHaveTheRevisionOfTheirCondition() async throws {
    let test = TestFleet()
    let first = try test.fleet.add(depot, identifier: "depot")
    #expect(try test.fleet.add(depot, identifier: "depot") == first)
    var events = test.fleet.events.makeAsyncIterator()
    test.hub.receive("a/a", "100 47")
    test.hub.flush()
    let elsewhere = try Condition.circle(
      center: Coordinate(latitude: 48, longitude: 8), radius: 1_000)
    let second = try test.fleet.add(elsewhere, identifier: "depot")
    test.hub.receive("a/a", "1000 48")
    test.hub.flush()
    #expect(try await events.next()?.revision == first)
    #expect(try await events.next()?.revision == second)
    #expect(first != second)
  }

  @Test func addsAndRemovesConditions() throws {
    let test = TestFleet()
    try test.fleet.add(depot, identifier: "depot")
    #expect(test.fleet.condition(for: "depot") == depot)
    #expect(test.fleet.conditionCount == 1)
    #expect(throws: LocationError.self) { try test.fleet.add(depot, identifier: "") }
    #expect(test.fleet.remove("depot") == depot)
    #expect(test.fleet.remove("depot") == nil)
    #expect(test.fleet.conditionCount == 0)
  }

  @Test func aForgottenDeviceHasNoConditionState() async throws {
    let test = TestFleet()
    try test.fleet.add(depot, identifier: "depot")
    var events = test.fleet.events.makeAsyncIterator()
    test.hub.receive("a/a", "100 47")
    test.fleet.forget(id("a/a"))
    // Another device uses the free slot.
    test.hub.receive("b/b", "100 48")
    test.hub.receive("a/a", "100 47")
    test.hub.flush()
    #expect(try await events.next()?.device == id("a/a"))
    let again = try #require(try await events.next())
    #expect(again.device == id("a/a"))
    #expect(again.previousState == .unknown)
  }

  @Test func removesExpiredConditions() throws {
    let test = TestFleet()
    let condition = try Condition(
      depot.subject, expiry: Date(timeIntervalSinceReferenceDate: testNow))
    try test.fleet.add(condition, identifier: "depot")
    #expect(test.fleet.conditionCount == 1)
    test.hub.receive("a/a", "100 47")
    #expect(test.fleet.conditionCount == 0)
  }

  /// Locations that a device has stored arrive together, so dwells are computed from timestamps.
  @Test func dwellsAreMeasuredByTimestamps() async throws {
    let test = TestFleet()
    let condition = try Condition(depot.subject, dwell: .seconds(60))
    try test.fleet.add(condition, identifier: "depot")
    let events = test.fleet.events
    for time in stride(from: 100, through: 170, by: 10) {
      test.hub.receive("a/a", "\(time) 47")
      test.hub.receive("b/b", "\(time / 2) 47")
    }
    await test.fleet.shutdown()
    var received: [FleetEvent] = []
    for try await event in events { received.append(event) }
    #expect(received.map(\.device) == [id("a/a")])
    #expect(received.first?.location == location(at: 160))
  }
}
