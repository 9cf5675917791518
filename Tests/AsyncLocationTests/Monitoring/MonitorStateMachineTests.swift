import Foundation
import TestSupport
import Testing

@testable import AsyncLocation

/// Crossings and dwells: when they are confirmed, continue or restart.
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

  /// Observes a fix at the centre of the circle or far outside. Returns the states of the events.
  private static func observe(
    _ machine: inout MonitorStateMachine, at second: Int, arrival: Int? = nil,
    isOutside: Bool = false
  ) throws -> [Monitor.State] {
    let fix = try Location(
      coordinate: Coordinate(latitude: isOutside ? 1 : 0, longitude: 0), timestamp: date(second),
      horizontalAccuracy: 3)
    return machine.observe(fix, at: .seconds(arrival ?? second)).compactMap { change in
      if case .event(let event) = change { event.state } else { nil }
    }
  }

  private static func states(_ changes: [MonitorChange]) -> [Monitor.State] {
    changes.compactMap { if case .event(let event) = $0 { event.state } else { nil } }
  }

  @Test func aSuspensionRestartsADwell() throws {
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

  @Test func aStoredDwellContinues() throws {
    var machine = Self.machine(try Self.dwelling())
    #expect(try Self.observe(&machine, at: 0) == [])
    #expect(try Self.observe(&machine, at: 20) == [.satisfied])
  }

  @Test func aReplacedConditionDoesNotInheritAStoredDwell() throws {
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
  func aSecondSuspensionForgetsADwell(isStored: Bool) throws {
    var machine = Self.machine(try Self.dwelling(state: .unmonitored))
    if !isStored { #expect(try Self.observe(&machine, at: 0) == []) }
    // The storage is notified: another process must not continue the dwell either.
    #expect(
      machine.suspend(because: .authorizationDenied, at: Self.date(10))
        == [.candidate(identifier: "a", nil)])
    _ = machine.suspend(because: [], at: Self.date(11))
    for second in [12, 20, 71] { #expect(try Self.observe(&machine, at: second) == []) }
    #expect(try Self.observe(&machine, at: 72) == [.satisfied])
  }

  // MARK: Confirmation

  private static func event(
    _ state: Monitor.State, after previous: Monitor.State, at second: Int
  ) -> Monitor.Event {
    Monitor.Event(
      identifier: "a", number: 1, state: state, previousState: previous, date: date(second))
  }

  /// Returns a machine whose device changed sides, by default 30 s before the start.
  ///
  /// - Parameter isFinished: Whether a consumer has finished the event of the change.
  private static func changed(
    _ state: Monitor.State = .satisfied, after previous: Monitor.State = .unsatisfied,
    at second: Int = -30, isFinished: Bool = true
  ) throws -> MonitorStateMachine {
    let event = event(state, after: previous, at: second)
    let condition = StoredCondition(
      identifier: "a",
      condition: try .circle(center: Coordinate(latitude: 0, longitude: 0), radius: 100),
      state: state, lastEvent: isFinished ? event : nil)
    return MonitorStateMachine(
      StoredMonitor(conditions: [condition], events: isFinished ? [] : [StoredEvent(event)]),
      CrossingOptions(), canRangeBeacons: false)
  }

  @Test(arguments: [false, true])
  func aRecentChangeLengthensTheConfirmationAfterARestart(isFinished: Bool) throws {
    var machine = try Self.changed(isFinished: isFinished)
    for second in 0..<40 {
      #expect(try Self.observe(&machine, at: second, isOutside: true) == [])
    }
    #expect(try Self.observe(&machine, at: 40, isOutside: true) == [.unsatisfied])
  }

  /// The change is an hour old, or was not a crossing.
  @Test func aStoredStateChangesAfterConfirmation() throws {
    for var machine in [try Self.changed(at: -3_600), try Self.changed(after: .unknown)] {
      for second in 0..<20 {
        #expect(try Self.observe(&machine, at: second, isOutside: true) == [])
      }
      #expect(try Self.observe(&machine, at: 20, isOutside: true) == [.unsatisfied])
    }
  }

  /// The first fix since the condition was added corrects the assumption.
  @Test func anAssumedStateChangesWithTheFirstFix() throws {
    var machine = Self.machine()
    for (name, second) in [("a", 0), ("b", 1)] {
      let circle = try Condition.circle(
        center: Coordinate(latitude: 0, longitude: 0), radius: 100)
      _ = machine.add([(key: name, value: circle)], assuming: .unsatisfied, at: Self.start)
      #expect(try Self.observe(&machine, at: second) == [.satisfied])
    }
  }

  @Test func aCrossingIsConfirmedAfterTwentySeconds() throws {
    var machine = try Self.changed(at: -86_400)
    #expect(try Self.observe(&machine, at: 0) == [])
    for second in 1...20 {
      #expect(try Self.observe(&machine, at: second, isOutside: true) == [])
    }
    #expect(try Self.observe(&machine, at: 21, isOutside: true) == [.unsatisfied])
  }

  /// Fixes that a source has held back are compared by their timestamps.
  @Test func heldBackFixesAreComparedByTimestamp() throws {
    var machine = try Self.changed(at: -86_400)
    #expect(try Self.observe(&machine, at: 0, arrival: 900) == [])
    for second in 1...20 {
      #expect(try Self.observe(&machine, at: second, arrival: 900, isOutside: true) == [])
    }
    #expect(try Self.observe(&machine, at: 21, arrival: 900, isOutside: true) == [.unsatisfied])
  }

  /// Held-back fixes ten minutes apart are compared by their timestamps, too.
  @Test func singleInfrequentFixConfirmsAChange() throws {
    var machine = try Self.changed(at: -86_400)
    #expect(try Self.observe(&machine, at: 0, arrival: 9_000) == [])
    #expect(try Self.observe(&machine, at: 600, arrival: 9_000, isOutside: true) == [.unsatisfied])
  }

  /// A stored crossing in progress has the date of its first fix.
  @Test func aStoredCrossingHasTheDateOfItsFirstFix() throws {
    var machine = Self.machine(
      StoredCondition(identifier: "a", condition: try Self.circle(), state: .unsatisfied))
    #expect(try Self.observe(&machine, at: 0, arrival: 900, isOutside: true) == [])
    for second in 1...30 {
      #expect(try Self.observe(&machine, at: second, arrival: 900) == [])
    }
    // Five seconds after the last fix.
    let stored = machine.stored(at: Self.date(35), .seconds(905))
    #expect(stored.first?.candidate?.since == Self.date(1))
  }

  /// A condition whose dwell began 40 s before the start.
  private static func dwelling(state: Monitor.State = .unsatisfied) throws -> StoredCondition {
    StoredCondition(
      identifier: "a", condition: try circle(), state: state,
      candidate: .init(isInside: true, isCertain: true, since: date(-40)))
  }
}
