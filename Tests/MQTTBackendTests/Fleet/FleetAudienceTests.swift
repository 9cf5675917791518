import AsyncLocation
import Foundation
import LocationFleet
import LocationStorage
import MockBackend
import TestSupport
import Testing

@testable import MQTTBackend

/// The audiences of conditions, and the replacement of conditions.
@Suite(.inTurn)
struct FleetAudienceTests {
  @Test("a condition applies only to the devices of its audience")
  func audiences() async throws {
    let test = TestFleet()
    try test.fleet.add(depot, identifier: "all")
    try test.fleet.add(depot, identifier: "user", for: .users(["a"]))
    try test.fleet.add(depot, identifier: "devices", for: .devices([id("a/a"), id("b/b")]))
    let names = ["a/a", "a/c", "b/b", "c/c"]
    for name in names { test.hub.receive(name, "100 47") }
    #expect(
      names.map { test.fleet.conditions(satisfiedBy: id($0)) } == [
        ["all", "devices", "user"], ["all", "user"], ["all", "devices"], ["all"],
      ])
    #expect(throws: LocationError.self) {
      try test.fleet.add(depot, identifier: "none", for: .users(["a/b"]))
    }
  }

  @Test("a condition for fewer devices keeps its states")
  func narrowing() async throws {
    let test = TestFleet()
    let revision = try test.fleet.add(depot, identifier: "depot")
    let events = test.fleet.events
    for name in ["a/a", "a/b", "b/b"] { test.hub.receive(name, "100 \(name == "a/a" ? 48 : 47)") }
    #expect(try test.fleet.add(depot, identifier: "depot", for: .users(["a"])) == revision)
    #expect(
      try test.fleet.add(depot, identifier: "depot", for: .devices([id("a/a"), id("a/b")]))
        == revision)
    // One fix does not confirm an entry, and b/b is no longer in the audience when it leaves.
    test.hub.receive("a/a", "110 47")
    test.hub.receive("a/a", "140 47")
    test.hub.receive("b/b", "200 48")
    await test.fleet.shutdown()
    var received: [FleetEvent] = []
    for try await event in events { received.append(event) }
    #expect(received.map(\.device) == ["a/b", "b/b", "a/a"].map(id))
    #expect(received.last?.previousState == .unsatisfied)
    #expect(received.last?.location == location(at: 140))
  }

  @Test("replacing conditions changes only those that differ", arguments: FleetEngine.all)
  func reloading(engine: FleetEngine) async throws {
    let folder = try TestFolder()
    let storage = try await engine.storage(in: folder)
    var test = try await TestFleet(storage: storage)
    let other = try Condition.circle(
      center: Coordinate(latitude: 48, longitude: 8), radius: 1_000)
    func condition(
      _ identifier: String, _ condition: Condition, _ audience: FleetCondition.Audience = .all
    ) -> FleetCondition {
      FleetCondition(identifier: identifier, condition: condition, audience: audience)
    }
    let first = [
      condition("kept", depot), condition("moved", depot), condition("gone", depot),
      condition("narrowed", depot),
    ]
    #expect(
      try test.fleet.replaceConditions(with: first)
        == FleetConditionDifference(added: ["kept", "moved", "gone", "narrowed"]))
    for name in ["a/a", "b/b"] { test.hub.receive(name, "100 47") }
    test.hub.flush()
    await test.fleet.shutdown()
    test = try await TestFleet(storage: storage)
    let events = test.fleet.events
    let second = [
      condition("kept", depot), condition("moved", other),
      condition("narrowed", depot, .users(["a"])), condition("new", other),
    ]
    #expect(
      try test.fleet.replaceConditions(with: second)
        == FleetConditionDifference(
          added: ["new"], replaced: ["moved"], readdressed: ["narrowed"], removed: ["gone"]))
    #expect(try test.fleet.replaceConditions(with: second).isEmpty)
    for name in ["a/a", "b/b"] { test.hub.receive(name, "200 47") }
    test.hub.flush()
    await test.fleet.shutdown()
    // No device crossed a boundary.
    for try await event in events { Issue.record("\(event)") }
    test = try await TestFleet(storage: storage)
    #expect(test.fleet.conditions(satisfiedBy: id("a/a")) == ["kept", "narrowed"])
    #expect(test.fleet.conditions(satisfiedBy: id("b/b")) == ["kept"])
    #expect(test.fleet.conditionCount == 4)
    await test.fleet.shutdown()
  }

  @Test("conditions of which one is not valid change nothing")
  func invalidConditions() throws {
    let test = TestFleet()
    try test.fleet.add(depot, identifier: "depot")
    let valid = FleetCondition(identifier: "a", condition: depot)
    for conditions in [
      [valid, valid], [valid, FleetCondition(identifier: "", condition: depot)],
    ] {
      #expect(throws: LocationError.self) {
        try test.fleet.replaceConditions(with: conditions)
      }
      #expect(test.fleet.condition(for: "depot") != nil)
      #expect(test.fleet.conditionCount == 1)
    }
  }

  @Test("an audience is forgotten with its condition, also one that expires")
  func forgottenAudiences() throws {
    let test = TestFleet()
    let expiring = try Condition(
      depot.subject, expiry: Date(timeIntervalSinceReferenceDate: testNow))
    try test.fleet.add(expiring, identifier: "expiring", for: .users(["a"]))
    try test.fleet.add(depot, identifier: "removed", for: .users(["a"]))
    test.fleet.remove("removed")
    // The first message of a burst removes expired conditions.
    test.hub.receive("b/b", "100 47")
    #expect(test.fleet.conditionCount == 0)
    #expect(test.hub.decide { state, _ in state.audiences.filter(for: id("b/b")) == nil })
  }
}
