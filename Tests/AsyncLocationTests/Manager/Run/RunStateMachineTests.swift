import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct RunStateMachineTests {
  typealias Step = (RunStateMachine.Event, RunStateMachine.Action)

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let steps: [Step]
  }

  static let scenarios = [
    Scenario(
      testDescription: "repeated requests start once",
      steps: [(.wanted(true), .start(1)), (.wanted(true), .none)]),
    Scenario(
      testDescription: "without demand nothing starts",
      steps: [(.wanted(false), .none), (.ended(1), .none)]),
    Scenario(
      testDescription: "stops once, and starts a new run after the end",
      steps: [
        (.wanted(true), .start(1)), (.wanted(false), .cancel(1)), (.wanted(false), .none),
        (.ended(1), .none), (.wanted(true), .start(2)),
      ]),
    Scenario(
      testDescription: "a request while stopping waits for the end",
      steps: [
        (.wanted(true), .start(1)), (.wanted(false), .cancel(1)), (.wanted(true), .none),
        (.wanted(true), .none), (.ended(1), .start(2)),
      ]),
    Scenario(
      testDescription: "the last request while stopping wins",
      steps: [
        (.wanted(true), .start(1)), (.wanted(false), .cancel(1)), (.wanted(true), .none),
        (.wanted(false), .none), (.ended(1), .none),
      ]),
    Scenario(
      testDescription: "a run that ended by itself restarts only on a new request",
      steps: [
        (.wanted(true), .start(1)), (.ended(1), .none), (.wanted(false), .none),
        (.wanted(true), .start(2)),
      ]),
    Scenario(
      testDescription: "the end of another run is ignored",
      steps: [
        (.wanted(true), .start(1)), (.ended(1), .none), (.wanted(true), .start(2)),
        (.ended(1), .none), (.ended(3), .none), (.wanted(false), .cancel(2)), (.ended(1), .none),
        (.ended(2), .none), (.ended(2), .none),
      ]),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) {
    var machine = RunStateMachine()
    for (event, action) in scenario.steps {
      #expect(machine.handle(event) == action, "after \(event)")
    }
  }
}

/// Every sequence of events up to a depth, checked step by step.
@Suite(.inTurn) struct RunStateMachineExploration {
  @Test(.longWork) func startsAndEndsAlternateInEverySequence() {
    var search = Search()
    search.explore(RunStateMachine(), Checker(), depth: 8)
    #expect(search.violations.isEmpty, "\(search.violations.prefix(3))")
    #expect(search.steps > 400_000)  // The search reached the full depth.
    print("Run: \(search.steps) sequences of 1 to 8 events, none wrong")
  }

  private struct Checker {
    var active: UInt64?
    var wasCancelled = false
    /// The value of the last `wanted` event.
    var isWanted = false
    /// The number of runs that were started, which is the ID of the last one.
    var starts: UInt64 = 0
    var history: [RunStateMachine.Event] = []

    var events: [RunStateMachine.Event] {
      let last = starts
      return [.wanted(true), .wanted(false), .ended(last), .ended(last + 1), .ended(last &- 1)]
    }

    /// Records an event and the machine's reaction. Returns the rules that the machine has
    /// violated.
    mutating func note(
      _ event: RunStateMachine.Event, _ action: RunStateMachine.Action, _ machine: RunStateMachine
    ) -> [String] {
      history.append(event)
      var problems: [String] = []
      var expectsRun = active != nil && !wasCancelled
      switch event {
      case .wanted(let wanted):
        isWanted = wanted
        expectsRun = wanted && (active == nil || !wasCancelled)
      case .ended(let id) where id == active:
        expectsRun = wasCancelled && isWanted
        (active, wasCancelled) = (nil, false)
      case .ended:
        break
      }
      switch action {
      case .none:
        break
      case .start(let id):
        if active != nil { problems.append("a run starts while another has not ended") }
        if id != starts + 1 { problems.append("a run's number is not new") }
        (active, starts) = (id, id)
      case .cancel(let id):
        if active != id || wasCancelled { problems.append("cancels a run that is not active") }
        wasCancelled = true
      }
      if expectsRun != (active != nil && !wasCancelled) { problems.append("a request was lost") }
      if machine.isIdle != (active == nil) { problems.append("idle is wrong") }
      if machine.runs != starts { problems.append("runs are miscounted") }
      for id in [starts, starts + 1] {
        if machine.isCurrent(id) != (active == id && !wasCancelled) {
          problems.append("accepts the wrong run")
        }
        if machine.isStopping(id) != (active == id && wasCancelled) {
          problems.append("stops the wrong run")
        }
      }
      return problems
    }
  }

  private struct Search {
    var steps = 0
    var violations: [String] = []

    mutating func explore(_ machine: RunStateMachine, _ checker: Checker, depth: Int) {
      guard depth > 0, violations.count < 10 else { return }
      for event in checker.events {
        steps += 1
        var (machine, checker) = (machine, checker)
        let action = machine.handle(event)
        for problem in checker.note(event, action, machine) {
          violations.append("\(problem): \(checker.history)")
        }
        explore(machine, checker, depth: depth - 1)
      }
    }
  }

  @Test func aRunIsTheLatestUntilAnotherIsRequested() {
    var machine = RunStateMachine()
    _ = machine.handle(.wanted(true))
    #expect(machine.isLatest(1))
    #expect(!machine.isLatest(2))
    _ = machine.handle(.wanted(false))
    #expect(machine.isLatest(1))
    _ = machine.handle(.wanted(true))
    #expect(!machine.isLatest(1))
    _ = machine.handle(.wanted(false))
    _ = machine.handle(.ended(1))
    #expect(machine.isLatest(1))
    _ = machine.handle(.wanted(true))
    #expect(!machine.isLatest(1))
    #expect(machine.isLatest(2))
  }
}
