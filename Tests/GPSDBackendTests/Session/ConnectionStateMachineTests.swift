import AsyncLocation
import FoundationEssentials
import Glibc
import MockBackend
import TestSupport
import Testing

@testable import GPSDBackend
@testable import LocationTransport

/// Tables in virtual time. Each step begins with its time in seconds. The random value is always
/// the lowest, so each retry delay is reduced by the whole jitter, to a half.
@Suite(.inTurn) struct ConnectionStateMachineTests {
  typealias Machine = ConnectionStateMachine<SocketStateMachine>
  typealias Event = Machine.Event
  typealias Action = Machine.Action

  /// Makes `Double.random(in:using:)` return the lower bound.
  struct Lowest: RandomNumberGenerator {
    mutating func next() -> UInt64 { 2047 }  // A constant 0 would be rejected and redrawn forever.
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var configure: @Sendable (inout SocketStateMachine.Configuration) -> Void = { _ in }
    var steps: [(Double, Event, [Action])]
  }

  static let endpoint = "localhost:2947"
  static let first = SocketAddress(family: AF_INET6, bytes: [1])
  static let second = SocketAddress(family: AF_INET, bytes: [2])
  static let usb = Receiver(name: "/dev/ttyUSB0", activated: .distantPast)
  static let other = Receiver(name: "/dev/ttyUSB1", activated: .distantPast)
  static let refused = LocationError.cannotConnect(
    to: endpoint, .system(errno: ECONNREFUSED))

  static func connecting(_ attempts: Int = 0) -> Action {
    .report(ConnectionState(.connecting, endpoint: endpoint, attempts: attempts))
  }
  static func connected(_ problem: LocationError? = nil, _ receivers: [Receiver] = []) -> Action {
    .report(
      ConnectionState(.connected, endpoint: endpoint, problem: problem, receivers: receivers))
  }
  /// A connected state with explicit devices. By default, they are the names of the receivers, or nil
  /// without receivers.
  static func connected(
    _ problem: LocationError? = nil, _ receivers: [Receiver] = [], devices: Set<String>
  ) -> Action {
    .report(
      ConnectionState(
        .connected, endpoint: endpoint, problem: problem, receivers: receivers, devices: devices))
  }
  static func waiting(_ attempts: Int, _ delay: Double, _ problem: LocationError) -> Action {
    .report(
      ConnectionState(
        .waiting, endpoint: endpoint, attempts: attempts, retryDelay: .seconds(delay),
        problem: problem))
  }
  static func failed(
    _ problem: LocationError, attempts: Int = 1, refusing refusal: Action? = nil
  ) -> [Action] {
    [
      .report(
        ConnectionState(.failed, endpoint: endpoint, attempts: attempts, problem: problem)),
      refusal, .fail(problem),
    ].compactMap(\.self)
  }
  static func arm(_ seconds: Double) -> Action { .arm(at: .seconds(seconds)) }

  static let toOpening: [(Double, Event, [Action])] = [
    (0, .started, [connecting(), arm(10), .link(.resolve)]),
    (0, .link(.resolved([first])), [arm(10), .link(.open(first))]),
  ]
  static let toHandshake =
    toOpening + [(0, .link(.transportConnected), [arm(5), .link(.send(.watch(device: nil)))])]
  static let toWatching = toHandshake + [(0, .link(.bannerReceived), [arm(10), connected()])]
  static let toDeviceWatch =
    toOpening + [
      (
        0, .link(.transportConnected),
        [arm(5), .link(.send(.devices)), .link(.send(.watch(device: "/dev/ttyUSB0")))]
      ),
      (0, .link(.bannerReceived), [arm(10), connected()]),
    ]

  /// gpsd closes the open connection after a second, and the next connection opens.
  static let backToOpening: [(Double, Event, [Action])] = [
    (
      1, .link(.closedByPeer(nil)),
      [.close, waiting(1, 0.5, .connectionLost(to: endpoint, nil)), arm(1.5)]
    ),
    (1.5, .timerFired, [connecting(1), arm(11.5), .link(.resolve)]),
    (1.5, .link(.resolved([first])), [arm(11.5), .link(.open(first))]),
  ]

  static let unknownDevice = LocationError.deviceUnknown(
    "/dev/ttyUSB0", at: endpoint, having: [other])
  static let unknownDeviceWithoutReceivers = LocationError.deviceUnknown(
    "/dev/ttyUSB0", at: endpoint, having: [])
  static let silentReceivers = LocationError.silentReceivers(at: endpoint, for: .seconds(10))
  static let timedOut = LocationError.connectTimedOut(to: endpoint, after: .seconds(10))

  static let lookUpTimedOut = LocationError.lookUpTimedOut(of: endpoint, after: .seconds(10))

  static let connectScenarios = [
    Scenario(
      testDescription: "the addresses of a host are tried in turn",
      steps: [
        (0, .started, [connecting(), arm(10), .link(.resolve)]),
        (2, .link(.resolved([first, second])), [arm(6), .link(.open(first))]),
        (
          3, .link(.transportFailed(.system(errno: ECONNREFUSED))),
          [.close, arm(10), .link(.open(second))]
        ),
        (4, .link(.transportConnected), [arm(9), .link(.send(.watch(device: nil)))]),
        (4, .link(.bannerReceived), [arm(14), connected()]),
      ]),
    Scenario(
      testDescription: "F4 a hanging address leaves time for the next, with one shared deadline",
      steps: [
        (0, .started, [connecting(), arm(10), .link(.resolve)]),
        (0, .link(.resolved([first, second])), [arm(5), .link(.open(first))]),
        (5, .timerFired, [.close, arm(10), .link(.open(second))]),
        (10, .timerFired, [.close, .close, waiting(1, 0.5, timedOut), arm(10.5)]),
      ]),
    Scenario(
      testDescription: "F1 delays grow while gpsd is absent and restart after a connection",
      steps: toOpening + [
        (
          0, .link(.transportFailed(.system(errno: ECONNREFUSED))),
          [.close, .close, waiting(1, 0.5, refused), arm(0.5)]
        ),
        (0.5, .timerFired, [connecting(1), arm(10.5), .link(.resolve)]),
        (0.5, .link(.resolved([first])), [arm(10.5), .link(.open(first))]),
        (
          0.5, .link(.transportFailed(.system(errno: ECONNREFUSED))),
          [.close, .close, waiting(2, 1, refused), arm(1.5)]
        ),
        (1.5, .timerFired, [connecting(2), arm(11.5), .link(.resolve)]),
        (1.5, .link(.resolved([first])), [arm(11.5), .link(.open(first))]),
        (1.5, .link(.transportConnected), [arm(6.5), .link(.send(.watch(device: nil)))]),
        (1.5, .link(.bannerReceived), [arm(11.5), connected()]),
        (1.5, .link(.devicesReported([usb])), [connected(nil, [usb])]),
        (
          4, .link(.closedByPeer(nil)),
          [.close, waiting(1, 0.5, .connectionLost(to: endpoint, nil)), arm(4.5)]
        ),
      ]),
    Scenario(
      testDescription: "delays grow over connections that are shorter than the delays",
      steps: toWatching + [(0, .link(.devicesReported([usb])), [connected(nil, [usb])])]
        + backToOpening + [
          (1.5, .link(.transportConnected), [arm(6.5), .link(.send(.watch(device: nil)))]),
          (1.5, .link(.bannerReceived), [arm(11.5), connected()]),
          (1.5, .link(.devicesReported([usb])), [connected(nil, [usb])]),
          (
            2, .link(.closedByPeer(nil)),
            [.close, waiting(1, 1, .connectionLost(to: endpoint, nil)), arm(3)]
          ),
        ]),
    Scenario(
      testDescription: "delays grow when gpsd greets and disconnects repeatedly",
      steps: toWatching + backToOpening + [
        (1.5, .link(.transportConnected), [arm(6.5), .link(.send(.watch(device: nil)))]),
        (1.5, .link(.bannerReceived), [arm(11.5), connected()]),
        (
          1.5, .link(.closedByPeer(nil)),
          [.close, waiting(2, 1, .connectionLost(to: endpoint, nil)), arm(2.5)]
        ),
      ]),
    Scenario(
      testDescription: "F5 a missing greeting is a transient problem",
      steps: toHandshake + [
        (
          5, .timerFired,
          [
            .close, waiting(1, 0.5, .noBanner(from: endpoint, after: .seconds(5))),
            arm(5.5),
          ]
        )
      ]),
    Scenario(
      testDescription: "F12 another server on the port ends the run",
      steps: toHandshake + [
        (
          0, .link(.lineWasNotGPSD("HTTP/1.1 400 Bad Request")),
          [.disarm, .close] + failed(.notGPSD(at: endpoint, said: "HTTP/1.1 400 Bad Request"))
        ),
        (0, .link(.closedByPeer(nil)), []),
        (9, .timerFired, []),
      ]),
    Scenario(
      testDescription: "an unknown name is looked up again",
      steps: [
        (0, .started, [connecting(), arm(10), .link(.resolve)]),
        (
          1, .link(.resolutionFailed(.lookup(code: EAI_NONAME))),
          [
            .close,
            waiting(1, 0.5, .cannotConnect(to: endpoint, .lookup(code: EAI_NONAME))), arm(1.5),
          ]
        ),
      ]),
    Scenario(
      testDescription: "a look-up that does not answer times out",
      steps: [
        (0, .started, [connecting(), arm(10), .link(.resolve)]),
        (10, .timerFired, [.close, waiting(1, 0.5, lookUpTimedOut), arm(10.5)]),
        (11, .link(.resolved([first])), []),
      ]),
    Scenario(
      testDescription: "F30 descriptor exhaustion is a transient problem",
      steps: toOpening + [
        (
          0, .link(.transportFailed(.system(errno: EMFILE))),
          [
            .close, .close,
            waiting(1, 0.5, .cannotConnect(to: endpoint, .system(errno: EMFILE))), arm(0.5),
          ]
        )
      ]),
    Scenario(
      testDescription: "a connection that is not permitted fails with denied",
      steps: toOpening + [
        (
          0, .link(.transportFailed(.system(errno: EPERM))),
          [.close, .disarm, .close]
            + failed(
              .cannotConnect(to: endpoint, .system(errno: EPERM)), refusing: .reportRefusal(.denied)
            )
        )
      ]),
    Scenario(
      testDescription: "limited attempts end with the last problem",
      configure: { $0.reconnection = .exponential(attempts: 2) },
      steps: toOpening + [
        (
          0, .link(.transportFailed(.system(errno: ECONNREFUSED))),
          [.close, .close, waiting(1, 0.5, refused), arm(0.5)]
        ),
        (0.5, .timerFired, [connecting(1), arm(10.5), .link(.resolve)]),
        (0.5, .link(.resolved([first])), [arm(10.5), .link(.open(first))]),
        (
          0.5, .link(.transportFailed(.system(errno: ECONNREFUSED))),
          [.close, .disarm, .close] + failed(refused, attempts: 2)
        ),
      ]),
    Scenario(
      testDescription: "without reconnection the first problem ends the run",
      configure: { $0.reconnection = .never },
      steps: toOpening + [
        (
          0, .link(.transportFailed(.system(errno: ECONNREFUSED))),
          [.close, .disarm, .close] + failed(refused)
        )
      ]),
  ]

  static let watchScenarios = [
    Scenario(
      testDescription: "F3 a silent connection is probed and closed without an answer",
      steps: toWatching + [
        (4, .link(.linesArrived(reports: true)), []),
        (10, .timerFired, [arm(14)]),
        (14, .timerFired, [arm(19), .link(.send(.version))]),
        (
          19, .timerFired,
          [
            .close, waiting(1, 0.5, .silentConnection(to: endpoint, for: .seconds(15))),
            arm(19.5),
          ]
        ),
      ]),
    Scenario(
      testDescription: "an answering gpsd with silent receivers stays connected with a problem",
      steps: toWatching + [
        (10, .timerFired, [arm(15), .link(.send(.version))]),
        (
          10, .link(.bannerReceived),
          [arm(20), connected(silentReceivers), .reportUnavailable(silentReceivers)]
        ),
        (10, .link(.linesArrived(reports: false)), []),
        (20, .timerFired, [arm(25), .link(.send(.version))]),
        (20, .link(.bannerReceived), [arm(30)]),
        (21, .link(.linesArrived(reports: true)), [connected()]),
        (30, .timerFired, [arm(31)]),
      ]),
    Scenario(
      testDescription: "F3 the deadline of a probe ends with its answer",
      configure: { $0.handshakeTimeout = .seconds(60) },
      steps: toOpening + [
        (0, .link(.transportConnected), [arm(60), .link(.send(.watch(device: nil)))]),
        (0, .link(.bannerReceived), [arm(10), connected()]),
        (10, .timerFired, [arm(70), .link(.send(.version))]),
        (
          11, .link(.bannerReceived),
          [arm(21), connected(silentReceivers), .reportUnavailable(silentReceivers)]
        ),
        (11, .link(.linesArrived(reports: false)), []),
        (21, .timerFired, [arm(81), .link(.send(.version))]),
        (22, .link(.linesArrived(reports: true)), [arm(32), connected()]),
        (32, .timerFired, [arm(92), .link(.send(.version))]),
        (
          92, .timerFired,
          [
            .close, waiting(1, 0.5, .silentConnection(to: endpoint, for: .seconds(70))),
            arm(92.5),
          ]
        ),
      ]),
    Scenario(
      testDescription: "F15 half a line followed by silence is silence",
      steps: toWatching + [
        (10, .timerFired, [arm(15), .link(.send(.version))]),
        (
          15, .timerFired,
          [
            .close, waiting(1, 0.5, .silentConnection(to: endpoint, for: .seconds(15))),
            arm(15.5),
          ]
        ),
      ]),
    Scenario(
      testDescription: "F7 receivers come and go",
      steps: toWatching + [
        (0, .link(.devicesReported([])), [connected(devices: [])]),
        (0, .link(.devicesReported([])), []),
        (1, .link(.deviceReported(usb)), [connected(nil, [usb])]),
        (1, .link(.deviceReported(usb)), []),
        (2, .link(.deviceReported(other)), [connected(nil, [usb, other])]),
        (
          3, .link(.deviceReported(Receiver(name: usb.name))),
          [connected(nil, [Receiver(name: usb.name), other], devices: [other.name])]
        ),
        (4, .link(.devicesReported([other])), [connected(nil, [other])]),
      ]),
    Scenario(
      testDescription: "an error of gpsd is reported until reports arrive",
      steps: toWatching + [
        (1, .link(.errorReported("busy")), [connected(.complaint(of: endpoint, "busy"))]),
        (2, .link(.linesArrived(reports: true)), [connected()]),
      ]),
    Scenario(
      testDescription: "a missing device ends the run and the error lists the present ones",
      configure: { $0.device = "/dev/ttyUSB0" },
      steps: toDeviceWatch + [
        (0, .link(.devicesReported([other])), [.disarm, .close] + failed(unknownDevice)),
        (0, .link(.errorReported("No such device as /dev/ttyUSB0")), []),
      ]),
    Scenario(
      testDescription: "an expected device is watched once it appears",
      configure: {
        $0.device = "/dev/ttyUSB0"
        $0.waitsForDevice = true
      },
      steps: toDeviceWatch + [
        (0, .link(.devicesReported([other])), [connected(unknownDevice, [other], devices: [])]),
        (0, .link(.errorReported("No such device as /dev/ttyUSB0")), []),
        (
          5, .link(.deviceReported(usb)),
          [
            .link(.send(.watch(device: "/dev/ttyUSB0"))),
            connected(nil, [other, usb], devices: [usb.name]),
          ]
        ),
        (5, .link(.devicesReported([other, usb])), []),
      ]),
    Scenario(
      testDescription: "F6 an unplugged device is waited for",
      configure: { $0.device = "/dev/ttyUSB0" },
      steps: toDeviceWatch + [
        (0, .link(.devicesReported([usb])), [connected(nil, [usb])]),
        (
          1, .link(.deviceReported(Receiver(name: usb.name))),
          [
            connected(
              .deviceUnplugged(usb.name, at: endpoint), [Receiver(name: usb.name)], devices: [])
          ]
        ),
        (1, .link(.devicesReported([])), [connected(unknownDeviceWithoutReceivers, devices: [])]),
        (
          9, .link(.deviceReported(usb)),
          [.link(.send(.watch(device: "/dev/ttyUSB0"))), connected(nil, [usb])]
        ),
      ]),
    Scenario(
      testDescription: "a device seen before a restart is awaited after the restart",
      configure: { $0.device = "/dev/ttyUSB0" },
      steps: toDeviceWatch + [(0, .link(.devicesReported([usb])), [connected(nil, [usb])])]
        + backToOpening + [
          (
            1.5, .link(.transportConnected),
            [arm(6.5), .link(.send(.devices)), .link(.send(.watch(device: "/dev/ttyUSB0")))]
          ),
          (1.5, .link(.bannerReceived), [arm(11.5), connected()]),
          (
            1.5, .link(.devicesReported([])),
            [connected(unknownDeviceWithoutReceivers, devices: [])]
          ),
        ]),
  ]

  static let endScenarios = [
    Scenario(testDescription: "stopped before the start", steps: [(0, .stopped, [.end])]),
    Scenario(
      testDescription: "stopped while connecting",
      steps: toOpening + [
        (1, .stopped, [.disarm, .close, .end]), (1, .link(.transportConnected), []),
        (2, .stopped, []),
      ]),
    Scenario(
      testDescription: "stopped while watching: the watch is disabled",
      steps: toWatching + [
        (1, .stopped, [.disarm, .link(.send(.unwatch)), .close, .end]),
        (1, .link(.linesArrived(reports: true)), []), (1, .timerFired, []),
      ]),
    Scenario(
      testDescription: "a list of receivers is requested once",
      configure: { $0.purpose = .listDevices },
      steps: toOpening + [
        (0, .link(.transportConnected), [arm(5), .link(.send(.devices))]),
        (1, .link(.bannerReceived), [arm(6)]),
        (1, .link(.linesArrived(reports: false)), []),
        (2, .link(.devicesReported([usb])), [.disarm, .close, .finish([usb])]),
      ]),
    Scenario(
      testDescription: "a missing device list is not waited for",
      configure: { $0.purpose = .listDevices },
      steps: toOpening + [
        (0, .link(.transportConnected), [arm(5), .link(.send(.devices))]),
        (1, .link(.bannerReceived), [arm(6)]),
        (
          6, .timerFired,
          [.disarm, .close] + failed(.silentConnection(to: endpoint, for: .seconds(5)))
        ),
      ]),
  ]

  @Test(arguments: connectScenarios + watchScenarios + endScenarios)
  func followsTheScenario(_ scenario: Scenario) {
    var configuration = SocketStateMachine.Configuration()
    scenario.configure(&configuration)
    var machine = Machine(SocketStateMachine(configuration))
    var generator: any RandomNumberGenerator = Lowest()
    for (seconds, event, actions) in scenario.steps {
      let returned = machine.handle(event, at: .seconds(seconds), using: &generator)
      #expect(returned == actions, "after \(event) at \(seconds) s")
    }
  }

  @Test(arguments: [
    ("HTTP/1.1 400 Bad Request\u{1b}[31m", "HTTP/1.1 400 Bad Request\\u{1b}[31m"),
    ("a\u{202e}b\u{0}", "a\\u{202e}b\\u{0}"),
  ])
  func aForeignBannerIsEscaped(_ banner: String, _ escaped: String) {
    let error = LocationError.notGPSD(at: "localhost:8080", said: banner)
    #expect(
      error.message == "The server at localhost:8080 is not gpsd (it sent '\(escaped)'). "
        + "Check host and port.")
  }

  /// Whatever the order of events, a run does not trap, ends exactly once, and returns no action
  /// after its end.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func eventsInAnyOrderEndOnce(seed: UInt64) {
    var generator: any RandomNumberGenerator = SplitMix64(seed: seed)
    var configuration = SocketStateMachine.Configuration()
    configuration.device = Bool.random(using: &generator) ? "/dev/ttyUSB0" : nil
    configuration.waitsForDevice = Bool.random(using: &generator)
    configuration.purpose = Bool.random(using: &generator) ? .watch : .listDevices
    var machine = Machine(SocketStateMachine(configuration))
    let events: [Event] = [
      .started, .link(.resolved([Self.first, Self.second])), .link(.resolved([])),
      .link(.resolutionFailed(.system(errno: EIO))), .link(.transportConnected),
      .link(.transportConnected),
      .link(.transportFailed(.system(errno: ECONNREFUSED))), .link(.closedByPeer(nil)),
      .link(.bannerReceived),
      .link(.bannerReceived), .link(.lineWasNotGPSD("?")), .link(.linesArrived(reports: true)),
      .link(.linesArrived(reports: false)), .link(.devicesReported([Self.usb])),
      .link(.devicesReported([])),
      .link(.deviceReported(Self.usb)), .link(.deviceReported(Receiver(name: Self.usb.name))),
      .link(.errorReported("no")), .timerFired, .timerFired,
    ]
    var now = Duration.zero
    var ends = 0
    for _ in 0..<300 {
      now += .milliseconds(Int.random(in: 0...4000, using: &generator))
      let event = events.randomElement(using: &generator) ?? .timerFired
      let actions = machine.handle(event, at: now, using: &generator)
      if ends > 0 { #expect(actions == []) }
      for action in actions {
        switch action {
        case .finish, .fail, .end: ends += 1
        case .arm(let instant): #expect(instant >= now)
        case .link, .disarm, .close, .report, .reportUnavailable, .reportRefusal:
          break
        }
      }
    }
    for action in machine.handle(.stopped, at: now, using: &generator) where action == .end {
      ends += 1
    }
    #expect(ends == 1)
  }
}
