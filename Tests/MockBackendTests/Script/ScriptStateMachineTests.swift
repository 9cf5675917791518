import AsyncLocation
import TestSupport
import Testing

@testable import MockBackend

@Suite(.inTurn) struct ScriptStateMachineTests {
  enum Input: Sendable {
    case start(Int)
    case stop(Int)
    case waited(Int)
    case next(ScriptStateMachine.Action)
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let script: MockScript
    let inputs: [Input]
  }

  static let gate = MockGate()
  static let firstEvent = BackendEvent.unavailable(LocationError(.locationUnknown, "1"))
  static let secondEvent = BackendEvent.unavailable(LocationError(.locationUnknown, "2"))

  static let scenarios = [
    Scenario(
      testDescription: "an empty script does nothing", script: [],
      inputs: [.start(0), .next(.rest)]),
    Scenario(
      testDescription: "each step is played once, in order",
      script: [.emit(firstEvent, secondEvent), .authorize(.denied), .checkpoint("a"), .end],
      inputs: [
        .start(0),
        .next(.deliver(.events([firstEvent, secondEvent]))),
        .next(.deliver(.authorization(.decision(.denied)))),
        .next(.deliver(.checkpoint("a"))),
        .next(.deliver(.finish(nil))),
        .next(.rest),
        .stop(1), .start(2), .next(.rest),
      ]),
    Scenario(
      testDescription: "waits start at the end of the previous wait, however late it is handled",
      script: [.wait(.seconds(2)), .emit(firstEvent), .wait(.seconds(3)), .emit(secondEvent)],
      inputs: [
        .start(10),
        .next(.sleep(until: .seconds(12))), .next(.sleep(until: .seconds(12))),
        .waited(100), .next(.deliver(.events([firstEvent]))),
        .next(.sleep(until: .seconds(15))),
        .waited(100), .next(.deliver(.events([secondEvent]))),
      ]),
    Scenario(
      testDescription: "time without a run does not count",
      script: [.wait(.seconds(10)), .emit(firstEvent), .wait(.seconds(1))],
      inputs: [
        .start(0), .next(.sleep(until: .seconds(10))), .stop(4),
        .start(50), .next(.sleep(until: .seconds(56))), .stop(51),
        .start(60), .next(.sleep(until: .seconds(65))), .waited(65),
        .next(.deliver(.events([firstEvent]))), .next(.sleep(until: .seconds(66))),
      ]),
    Scenario(
      testDescription: "a run continues after the error that ended the previous one",
      script: [.fail(breakdown), .wait(.seconds(1)), .emit(firstEvent)],
      inputs: [
        .start(0), .next(.deliver(.finish(breakdown))), .stop(0),
        .start(5), .next(.sleep(until: .seconds(6))),
      ]),
    Scenario(
      testDescription: "after a gate, waits start at its opening",
      script: [.wait(.seconds(1)), .wait(for: gate), .wait(.seconds(1)), .emit(firstEvent)],
      inputs: [
        .start(0), .next(.sleep(until: .seconds(1))), .waited(1),
        .next(.wait(gate)), .next(.wait(gate)), .waited(20),
        .next(.sleep(until: .seconds(21))),
      ]),
    Scenario(
      testDescription: "zero and negative waits end at once",
      script: [.wait(.zero), .wait(.seconds(-3)), .wait(.seconds(1))],
      inputs: [
        .start(0), .next(.sleep(until: .zero)), .waited(0),
        .next(.sleep(until: .zero)), .waited(0), .next(.sleep(until: .seconds(1))),
      ]),
    Scenario(
      testDescription: "a restarting script starts over, including its waits",
      script: MockScript([.emit(firstEvent), .wait(.seconds(5))], restartsWithEachRun: true),
      inputs: [
        .start(0), .next(.deliver(.events([firstEvent]))), .next(.sleep(until: .seconds(5))),
        .stop(3),
        .start(20), .next(.deliver(.events([firstEvent]))), .next(.sleep(until: .seconds(25))),
      ]),
    Scenario(
      testDescription: "unexpected starts, stops and waits change nothing",
      script: [.emit(firstEvent), .wait(.seconds(1))],
      inputs: [
        .stop(3), .start(5), .start(9), .waited(9),
        .next(.deliver(.events([firstEvent]))), .next(.sleep(until: .seconds(6))),
        .stop(5), .stop(8), .waited(6), .waited(7), .next(.rest),
      ]),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) {
    var machine = ScriptStateMachine(scenario.script)
    for (number, input) in scenario.inputs.enumerated() {
      switch input {
      case .start(let now): machine.started(at: .seconds(now))
      case .stop(let now): machine.stopped(at: .seconds(now))
      case .waited(let now): machine.finishedWaiting(at: .seconds(now))
      case .next(let expected):
        let action = machine.next()
        #expect(action == expected, "input \(number)")
      }
    }
  }
}
