import Foundation
import TestSupport
import Testing

@testable import AsyncLocation

/// Which crossings that have begun go on.
@Suite(.inTurn) struct MonitorStateMachineTests {
  private static let start = Date(timeIntervalSince1970: 1_800_000_000)

  private static func date(_ seconds: Int) -> Date { start + TimeInterval(seconds) }

  /// A circle that a device must stay in for a minute.
  private static func circle(radius: Double = 100) throws -> Condition {
    try .circle(center: Coordinate(latitude: 0, longitude: 0), radius: radius)
      .dwelling(.seconds(60))
  }

  private static func machine(_ conditions: StoredCondition...) -> MonitorStateMachine {
    MonitorStateMachine(
      StoredMonitor(conditions: conditions), CrossingOptions(), canRangeBeacons: false)
  }

  /// A fix in the center, without doubt. Returns the states of the events.
  private static func observe(
    _ machine: inout MonitorStateMachine, at second: Int
  ) throws -> [Monitor.State] {
    let fix = try Location(
      coordinate: Coordinate(latitude: 0, longitude: 0), timestamp: date(second),
      horizontalAccuracy: 3)
    return machine.observe(fix, at: .seconds(second)).compactMap { change in
      if case .event(let event) = change { event.state } else { nil }
    }
  }

  private static func states(_ changes: [MonitorChange]) -> [Monitor.State] {
    changes.compactMap { if case .event(let event) = $0 { event.state } else { nil } }
  }

  @Test func aDwellBeginsAgainAfterASuspension() throws {
    var machine = Self.machine(
      StoredCondition(identifier: "a", condition: try Self.circle(), state: .unsatisfied))
    for second in [0, 30] { #expect(try Self.observe(&machine, at: second) == []) }
    #expect(
      Self.states(machine.suspend(because: .authorizationDenied, at: Self.date(40)))
        == [.unmonitored])
    #expect(machine.suspend(because: [], at: Self.date(45)) == [])
    // Without the suspension, the dwell would end at 60 s.
    for second in [50, 70, 100] { #expect(try Self.observe(&machine, at: second) == []) }
    #expect(try Self.observe(&machine, at: 110) == [.satisfied])
  }

  @Test func aStoredDwellGoesOn() throws {
    var machine = Self.machine(try Self.dwelling())
    #expect(try Self.observe(&machine, at: 0) == [])
    #expect(try Self.observe(&machine, at: 20) == [.satisfied])
  }

  @Test func aReplacementDoesNotTakeAStoredDwell() throws {
    var machine = Self.machine(try Self.dwelling())
    let replacement = [(key: "a", value: try Self.circle(radius: 200))]
    _ = machine.add(replacement, assuming: .unsatisfied, at: Self.start)
    for second in [0, 20, 59] { #expect(try Self.observe(&machine, at: second) == []) }
    #expect(try Self.observe(&machine, at: 60) == [.satisfied])
  }

  @Test func aSuspensionForgetsAStoredDwell() throws {
    var machine = Self.machine(try Self.dwelling())
    _ = machine.suspend(because: .authorizationDenied, at: Self.start)
    _ = machine.suspend(because: [], at: Self.start)
    for second in [0, 20, 59] { #expect(try Self.observe(&machine, at: second) == []) }
    #expect(try Self.observe(&machine, at: 60) == [.satisfied])
  }

  @Test(arguments: [false, true])
  func aSuspensionForgetsADwellSinceTheLastOne(isStored: Bool) throws {
    var machine = Self.machine(try Self.dwelling(state: .unmonitored))
    if !isStored { #expect(try Self.observe(&machine, at: 0) == []) }
    // The storage is told: another process must not continue the dwell either.
    #expect(
      machine.suspend(because: .authorizationDenied, at: Self.date(10))
        == [.candidate(identifier: "a", nil)])
    _ = machine.suspend(because: [], at: Self.date(11))
    for second in [12, 20, 71] { #expect(try Self.observe(&machine, at: second) == []) }
    #expect(try Self.observe(&machine, at: 72) == [.satisfied])
  }

  /// A condition whose dwell began 40 s before the start.
  private static func dwelling(state: Monitor.State = .unsatisfied) throws -> StoredCondition {
    StoredCondition(
      identifier: "a", condition: try circle(), state: state,
      candidate: .init(isInside: true, isCertain: true, since: date(-40)))
  }
}
