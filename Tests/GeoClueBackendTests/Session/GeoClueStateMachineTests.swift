import AsyncLocation
import LocationTransport
import TestSupport
import Testing

@testable import GeoClueBackend

/// Follows the machine's decisions step by step.
@Suite(.inTurn) struct GeoClueStateMachineTests {
  typealias Machine = GeoClueStateMachine
  typealias Step = (event: Machine.Event?, at: Int, decisions: [Machine.Decision])

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var purpose = Machine.Configuration.Purpose.watch
    var demand = GeoClueDemand()
    /// Nil is the timer.
    let steps: [Step]
  }

  static let service = Machine.Configuration()
  static let client = Machine.Client(owner: ":1.5", path: "/client")
  static let located = ["Latitude": BusValue.double(1), "Longitude": .double(2)]
  static let location = GeoClueLocation(located)!

  static func seconds(_ seconds: Int) -> Machine.Decision { .arm(at: .seconds(seconds)) }

  static func signal(
    _ member: String, _ arguments: [BusValue]?, sender: String = ":1.5", path: String = "/client"
  ) -> Machine.Event {
    .signalled(
      BusSignal(
        sender: sender, path: path, interface: "i", member: member, arguments: arguments))
  }

  static func updated(_ path: String, sender: String = ":1.5") -> Machine.Event {
    signal("LocationUpdated", [.objectPath("/"), .objectPath(path)], sender: sender)
  }

  static func active(_ isActive: Bool) -> Machine.Event {
    signal(
      "PropertiesChanged",
      [.string("c"), .dictionary(["Active": .boolean(isActive)]), .unsupported])
  }

  static func answer(_ call: Machine.Call, _ arguments: [BusValue]? = []) -> Machine.Event {
    .answered(call, sender: ":1.5", arguments: arguments)
  }

  static func set(_ property: Machine.Property) -> Machine.Decision {
    .perform(.call(.setProperty(property, of: client)))
  }

  static let introduction: [Step] = [
    (
      .opened, 0,
      [seconds(10)] + Machine.Call.subscriptions.map { .perform(.call($0)) }
        + [.perform(.call(.readManager))]
    ),
    (
      answer(.readManager, [.dictionary([:])]), 0,
      [seconds(5), .perform(.call(.createClient(owner: ":1.5")))]
    ),
  ]

  static func created(_ level: AccuracyLevel = .exact) -> [Step] {
    introduction + [
      (
        answer(.createClient(owner: ":1.5"), [.objectPath("/client")]), 0,
        [set(.desktopID("program")), set(.distanceThreshold(0))] + starting(level)
      )
    ]
  }

  static func starting(
    _ level: AccuracyLevel, threshold: UInt32 = 0, at now: Int = 0
  ) -> [Machine.Decision] {
    [set(.accuracyLevel(level)), set(.timeThreshold(threshold)), seconds(now + 30)]
      + [.perform(.call(.start(client)))]
  }

  static func running(_ level: AccuracyLevel = .exact) -> [Step] {
    created(level) + [
      (
        answer(.start(client)), 0,
        [.reportConnected(nil, receivers: [], devices: nil), seconds(15)]
      )
    ]
  }

  static let closing: [Machine.Decision] = [
    .perform(.call(.stop(client))), .perform(.call(.delete(client))),
  ]

  static func read(_ path: String) -> Machine.Decision {
    .perform(.call(.readLocation(path: path, of: client)))
  }

  static let denied = BusError(
    name: "org.freedesktop.DBus.Error.AccessDenied", message: "Geolocation disabled for UID 0")

  static func refusal(
    _ refusal: Machine.Refusal, _ error: BusError? = nil
  ) -> Machine.Decision {
    .fail(.refused(refusal, service, error))
  }

  static let scenarios = [
    Scenario(
      testDescription: "a location is read and delivered",
      steps: running() + [
        (updated("/l/1"), 1, [read("/l/1"), seconds(6)]),
        (
          answer(.readLocation(path: "/l/1", of: client), [.dictionary(located)]), 2,
          [.perform(.deliver(location)), seconds(62)]
        ),
      ]),
    Scenario(
      testDescription: "of the locations that arrive while one is read, only the newest is read",
      steps: running() + [
        (updated("/l/1"), 1, [read("/l/1"), seconds(6)]),
        (updated("/l/2"), 1, []),
        (updated("/l/3"), 1, [.perform(.count(.superseded))]),
        (
          answer(.readLocation(path: "/l/1", of: client), [.dictionary(located)]), 2,
          [.perform(.deliver(location)), read("/l/3"), seconds(7)]
        ),
      ]),
    Scenario(
      testDescription: "a location that vanished or is malformed is counted, and the next is read",
      steps: running() + [
        (updated("/l/1"), 1, [read("/l/1"), seconds(6)]),
        (updated("/l/2"), 1, []),
        (
          .refused(.readLocation(path: "/l/1", of: client), BusError(name: "x", message: "")), 2,
          [.perform(.count(.vanished)), read("/l/2"), seconds(7)]
        ),
        (
          answer(.readLocation(path: "/l/2", of: client), nil), 3,
          [.perform(.count(.malformed)), seconds(15)]
        ),
      ]),
    Scenario(
      testDescription: "foreign and malformed signals are counted",
      steps: running() + [
        (updated("/l/1", sender: ":1.9"), 1, [.perform(.count(.foreignSignal))]),
        (signal("LocationUpdated", nil), 1, [.perform(.count(.malformed))]),
        (
          signal("LocationUpdated", [.string("/"), .string("/l/1")]), 1,
          [.perform(.count(.malformed))]
        ),
        (signal("PropertiesChanged", [.uint32(1)]), 1, [.perform(.count(.malformed))]),
        (
          signal("NameOwnerChanged", [.string("n"), .string(":1.5"), .string("")]), 1,
          [.perform(.count(.foreignSignal))]
        ),
        (
          signal(
            "LocationUpdated", [.objectPath("/"), .objectPath("/l/1")], path: "/client/2"), 1, []
        ),
      ]),
    Scenario(
      testDescription: "a location before the answer to the start is read after it",
      steps: created() + [
        (updated("/l/1"), 0, []),
        (
          answer(.start(client)), 1,
          [
            .reportConnected(nil, receivers: [], devices: nil), read("/l/1"), seconds(6),
          ]
        ),
      ]),
    Scenario(
      testDescription: "permission is withdrawn: the start asks for the reason, and ends the run",
      steps: running() + [
        (updated("/l/1"), 1, [read("/l/1"), seconds(6)]),
        (active(false), 2, [seconds(32), .perform(.call(.start(client)))]),
        (answer(.readLocation(path: "/l/1", of: client), [.dictionary(located)]), 2, []),
        (.refused(.start(client), denied), 3, closing + [refusal(.switchedOff, denied)]),
        (updated("/l/2"), 3, []),
      ]),
    Scenario(
      testDescription: "a client that is active again goes on without a second connection",
      steps: running() + [
        (active(false), 2, [seconds(32), .perform(.call(.start(client)))]),
        (answer(.start(client)), 3, [seconds(18)]),
        (updated("/l/1"), 4, [read("/l/1"), seconds(9)]),
      ]),
    Scenario(
      testDescription: "a client that is reported as active stays as it is",
      steps: running() + [(active(true), 1, [])]),
    Scenario(
      testDescription: "no client in time, and GeoClue answers: the user has no agent",
      steps: introduction + [
        (nil, 5, [seconds(10), .perform(.call(.readManager))]),
        (answer(.readManager, [.dictionary([:])]), 6, [refusal(.noAgent)]),
      ]),
    Scenario(
      testDescription: "no client in time, and GeoClue does not answer at all",
      steps: introduction + [
        (nil, 5, [seconds(10), .perform(.call(.readManager))]),
        (nil, 10, [.fail(.noAnswer(from: service))]),
      ]),
    Scenario(
      testDescription: "a late client is used",
      steps: introduction + [
        (nil, 5, [seconds(10), .perform(.call(.readManager))]),
        (
          answer(.createClient(owner: ":1.5"), [.objectPath("/client")]), 6,
          [set(.desktopID("program")), set(.distanceThreshold(0))] + starting(.exact, at: 6)
        ),
        (answer(.readManager, [.dictionary([:])]), 6, []),
      ]),
    Scenario(
      testDescription: "no decision in time",
      steps: created() + [(nil, 30, closing + [.fail(.noDecision(from: service))])]),
    Scenario(
      testDescription: "the bus does not answer", steps: [(nil, 10, [.fail(.busTimedOut(service))])]
    ),
    Scenario(
      testDescription: "silence is tested, and the answer begins another wait",
      steps: running() + [
        (updated("/l/1"), 1, [read("/l/1"), seconds(6)]),
        (
          answer(.readLocation(path: "/l/1", of: client), [.dictionary(located)]), 2,
          [.perform(.deliver(location)), seconds(62)]
        ),
        (nil, 62, [.perform(.call(.readActivity(client))), seconds(67)]),
        (
          answer(.readActivity(client), [.variant(.boolean(true))]), 63, [seconds(123)]
        ),
        (nil, 123, [.perform(.call(.readActivity(client))), seconds(128)]),
        (nil, 128, closing + [.fail(.noAnswer(from: service))]),
      ]),
    Scenario(
      testDescription: "a location that is never read ends the connection",
      steps: running() + [
        (updated("/l/1"), 1, [read("/l/1"), seconds(6)]),
        (nil, 6, closing + [.fail(.noAnswer(from: service))]),
      ]),
    Scenario(
      testDescription: "the lack of locations is reported once",
      steps: running() + [
        (nil, 15, [.reportUnavailable(.noLocation(from: service)), seconds(60)])
      ]),
    Scenario(
      testDescription: "without a location of a lower level, exact ones are requested",
      demand: GeoClueDemand(level: .city),
      steps: running(.city) + [
        (nil, 15, [seconds(20), .perform(.call(.stop(client)))]),
        (answer(.stop(client)), 16, starting(.exact, at: 16)),
        (active(false), 16, []),
        (answer(.start(client)), 17, [seconds(32)]),
        (nil, 32, [.reportUnavailable(.noLocation(from: service)), seconds(77)]),
      ]),
    Scenario(
      testDescription: "a change of demand is applied",
      steps: running() + [
        (
          .demanded(GeoClueDemand(timeThreshold: 4)), 1,
          [set(.timeThreshold(4)), seconds(15)]
        ),
        (.demanded(GeoClueDemand(timeThreshold: 4)), 1, [seconds(15)]),
        (
          .demanded(GeoClueDemand(level: .street, timeThreshold: 4)), 2,
          [seconds(7), .perform(.call(.stop(client)))]
        ),
        (answer(.stop(client)), 3, starting(.street, threshold: 4, at: 3)),
        (.demanded(GeoClueDemand(level: .exact)), 3, []),
        (answer(.start(client)), 4, [seconds(9), .perform(.call(.stop(client)))]),
      ]),
    Scenario(
      testDescription: "a location that is being read is read again after another level",
      steps: running() + [
        (updated("/l/1"), 1, [read("/l/1"), seconds(6)]),
        (
          .demanded(GeoClueDemand(level: .street)), 1,
          [seconds(6), .perform(.call(.stop(client)))]
        ),
        (answer(.stop(client)), 2, starting(.street, at: 2)),
        (answer(.start(client)), 3, [read("/l/1"), seconds(8)]),
      ]),
    Scenario(
      testDescription: "a restart of GeoClue ends the connection",
      steps: running() + [
        (
          signal(
            "NameOwnerChanged", [.string("n"), .string(":1.5"), .string(":1.6")],
            sender: "org.freedesktop.DBus"), 1,
          [.fail(.serviceEnded(service))]
        )
      ]),
    Scenario(
      testDescription: "the start of GeoClue by the bus does not end the connection",
      steps: [introduction[0]] + [
        (
          signal(
            "NameOwnerChanged", [.string("n"), .string(""), .string(":1.5")],
            sender: "org.freedesktop.DBus"), 0, []
        ),
        introduction[1],
      ]),
    Scenario(
      testDescription: "answers of another form end the connection",
      steps: [
        introduction[0],
        (answer(.readManager, [.uint32(1)]), 0, [.fail(.malformedAnswer(from: service))]),
      ]),
    Scenario(
      testDescription: "a client without a path ends the connection",
      steps: introduction + [
        (
          answer(.createClient(owner: ":1.5"), [.string("/client")]), 0,
          [.fail(.malformedAnswer(from: service))]
        )
      ]),
    Scenario(
      testDescription: "a question ends with the permission",
      purpose: .ask, steps: created() + [(answer(.start(client)), 0, closing + [.finish([])])]),
    Scenario(
      testDescription: "a wait for a grant waits for an agent without a limit",
      purpose: .awaitGrant,
      steps: [
        introduction[0],
        (
          answer(.readManager, [.dictionary([:])]), 0,
          [.disarm, .perform(.call(.createClient(owner: ":1.5")))]
        ),
      ]),
  ]

  @Test(arguments: scenarios)
  func follows(_ scenario: Scenario) {
    var configuration = Self.service
    configuration.purpose = scenario.purpose
    var machine = Machine(configuration, demand: scenario.demand)
    #expect(machine.connect(at: .zero) == [Self.seconds(10), .perform(.open)])
    for (event, time, decisions) in scenario.steps {
      let now = Duration.seconds(time)
      let made = event.map { machine.handle($0, at: now) } ?? machine.timerFired(at: now)
      #expect(made == decisions, "after \(event.map { "\($0)" } ?? "the timer") at \(time)")
    }
  }

  @Test func onlyAWaitForAGrantOutlastsRefusals() {
    for purpose in [Machine.Configuration.Purpose.watch, .ask, .awaitGrant] {
      for (text, heals) in [("no agent for UID 0", true), ("Agent rejected 'x'", false)] {
        var configuration = Self.service
        configuration.purpose = purpose
        var machine = Machine(configuration)
        _ = machine.connect(at: .zero)
        for step in Self.created() { _ = step.event.map { machine.handle($0, at: .zero) } }
        let error = BusError(name: FakeGeoClue.denied, message: text)
        guard
          case .fail(let failure)? = machine.handle(
            .refused(.start(Self.client), error), at: .zero
          ).last
        else {
          Issue.record("did not fail")
          continue
        }
        #expect(machine.mayHeal(failure) == (heals && purpose == .awaitGrant))
        #expect(machine.mayHeal(.serviceEnded(Self.service)))
      }
    }
  }
}
