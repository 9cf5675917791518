import AsyncLocation
import TestSupport
import Testing

@testable import GPSDBackend
@testable import LocationTransport

@Suite(.inTurn) struct SharedMemoryStateMachineTests {
  typealias Machine = ConnectionStateMachine<SharedMemoryStateMachine>
  typealias Event = Machine.Event
  typealias Action = Machine.Action

  struct Scenario: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var reconnection = Reconnection.exponential()
    /// The times are in milliseconds.
    var steps: [(Int, Event, [Action])]
  }

  static let absent = LocationError(.backendUnavailable, "absent")
  static let denied = LocationError(.denied, "denied")
  static let silent = LocationError.silentSharedMemory(for: .seconds(10))
  static let receiver = Receiver(name: "/dev/a")

  static func state(
    _ phase: ConnectionState.Phase, attempts: Int = 0, delay: Int? = nil,
    problem: LocationError? = nil, receivers: [Receiver] = []
  ) -> Action {
    .report(
      ConnectionState(
        phase, endpoint: "shared memory", attempts: attempts,
        retryDelay: delay.map { .milliseconds($0) }, problem: problem, receivers: receivers,
        devices: nil))
  }
  static func arm(_ milliseconds: Int) -> Action { .arm(at: .milliseconds(milliseconds)) }

  static let toAttached: [(Int, Event, [Action])] = [
    (0, .started, [state(.connecting), .link(.attach)]),
    (0, .link(.attached), [state(.connected), .link(.read), arm(200)]),
    (0, .link(.unchanged), []),
  ]

  static let scenarios = [
    Scenario(
      testDescription: "F1 absent memory is retried with growing delays",
      steps: [
        (0, .started, [state(.connecting), .link(.attach)]),
        (
          0, .link(.failed(absent)),
          [.close, state(.waiting, attempts: 1, delay: 500, problem: absent), arm(500)]
        ),
        (500, .timerFired, [state(.connecting, attempts: 1), .link(.attach)]),
        (
          500, .link(.failed(absent)),
          [.close, state(.waiting, attempts: 2, delay: 1000, problem: absent), arm(1500)]
        ),
        (1500, .timerFired, [state(.connecting, attempts: 2), .link(.attach)]),
        (1500, .link(.attached), [state(.connected), .link(.read), arm(1700)]),
      ]),
    Scenario(
      testDescription: "memory is read at intervals, and a receiver is reported once",
      steps: toAttached + [
        (200, .timerFired, [arm(400), .link(.read)]),
        (200, .link(.changed(device: "/dev/a")), [state(.connected, receivers: [receiver])]),
        (400, .timerFired, [arm(600), .link(.read)]),
        (400, .link(.changed(device: "/dev/a")), []),
      ]),
    Scenario(
      testDescription: "F2 a receiver is silent while another one reports",
      steps: toAttached + [
        (200, .link(.changed(device: "/dev/a")), [state(.connected, receivers: [receiver])]),
        (
          5_000, .link(.changed(device: "/dev/b", isWanted: false)),
          [state(.connected, receivers: [receiver, Receiver(name: "/dev/b")])]
        ),
        (10_100, .link(.changed(device: "/dev/b", isWanted: false)), []),
        (
          10_200, .link(.changed(device: "/dev/b", isWanted: false)),
          [
            state(.connected, problem: silent, receivers: [receiver, Receiver(name: "/dev/b")]),
            .reportUnavailable(silent), .disarm, .close, .link(.attach),
          ]
        ),
      ]),
    Scenario(
      testDescription: "F2 unchanged memory is attached again and reported once",
      steps: toAttached + [
        (9999, .link(.unchanged), []),
        (
          10_000, .link(.unchanged),
          [
            state(.connected, problem: silent), .reportUnavailable(silent), .disarm, .close,
            .link(.attach),
          ]
        ),
        (10_000, .link(.attached), [.link(.read), arm(10_200)]),
        (10_200, .timerFired, [arm(10_400), .link(.read)]),
        (10_200, .link(.unchanged), []),
        (20_000, .link(.unchanged), [.disarm, .close, .link(.attach)]),
        (20_000, .link(.attached), [.link(.read), arm(20_200)]),
        (20_200, .link(.changed(device: nil)), [state(.connected)]),
      ]),
    Scenario(
      testDescription: "unreadable memory fails with denied",
      steps: [
        (0, .started, [state(.connecting), .link(.attach)]),
        (
          0, .link(.failed(denied)),
          [
            .disarm, .close, state(.failed, attempts: 1, problem: denied), .reportRefusal(.denied),
            .fail(denied),
          ]
        ),
        (0, .timerFired, []),
      ]),
    Scenario(
      testDescription: "without reconnection the first problem ends the run",
      reconnection: .never,
      steps: [
        (0, .started, [state(.connecting), .link(.attach)]),
        (
          0, .link(.failed(absent)),
          [.disarm, .close, state(.failed, attempts: 1, problem: absent), .fail(absent)]
        ),
      ]),
    Scenario(
      testDescription: "stopped while attached",
      steps: toAttached + [
        (1, .stopped, [.disarm, .close, .end]), (200, .timerFired, []), (200, .stopped, []),
      ]),
    Scenario(testDescription: "stopped before the start", steps: [(0, .stopped, [.end])]),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) {
    var configuration = SharedMemoryStateMachine.Configuration()
    configuration.reconnection = scenario.reconnection
    var machine = Machine(SharedMemoryStateMachine(configuration))
    var generator: any RandomNumberGenerator = ConnectionStateMachineTests.Lowest()
    for (time, event, actions) in scenario.steps {
      let returned = machine.handle(event, at: .milliseconds(time), using: &generator)
      #expect(returned == actions, "after \(event) at \(time) ms")
    }
  }
}
