import AsyncLocation
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import GPSDBackend
@testable import LocationTransport

/// Every sequence of events up to a length, for every kind of connection, checked by a model that
/// sees only events and actions.
@Suite(.inTurn) struct ConnectionStateMachineExploration {
  static let length = 4

  private typealias Machine = ConnectionStateMachine<SocketStateMachine>
  private static let usb = Receiver(name: "/dev/ttyUSB0", activated: .distantPast)

  private static let events: [Machine.Event] = [
    .link(
      .resolved([SocketAddress(family: AF_INET, bytes: [1]), SocketAddress(family: 2, bytes: [2])])),
    .link(.resolutionFailed(.system(errno: EIO))), .link(.transportConnected),
    .link(.transportFailed(.system(errno: ECONNREFUSED))), .link(.closedByPeer(nil)),
    .link(.bannerReceived),
    .link(.lineWasNotGPSD("?")), .link(.linesArrived(reports: true)),
    .link(.devicesReported([usb])),
    .link(.devicesReported([])), .link(.deviceReported(Receiver(name: usb.name))),
    .link(.errorReported("no")),
    .timerFired, .stopped,
  ]

  private struct Checker {
    var machine: Machine
    var now = Duration.zero
    /// The configuration, which has the time limits of the steps.
    let limits: SocketStateMachine.Configuration
    var isOpen = false
    /// The instant of the armed timer; nil if none is armed.
    var armed: Duration?
    /// The latest permitted instant for the timer of the current step.
    var deadline = Duration.zero
    var isOver = false
    var phase = ConnectionState.Phase.idle
    var history: [Machine.Event] = []

    /// Passes an event to the machine, and returns descriptions of the violated rules.
    mutating func handle(_ event: Machine.Event) -> [String] {
      history.append(event)
      now += .seconds(3)
      var generator: any RandomNumberGenerator = ConnectionStateMachineTests.Lowest()
      let actions = machine.handle(event, at: now, using: &generator)
      var problems: [String] = []
      if isOver, !actions.isEmpty { problems.append("returns actions after its end") }
      if event == .timerFired { armed = nil }
      for action in actions { problems += check(action) }
      switch limits.purpose {
      case .watch where phase == .connected && event.isReceived:
        deadline = now + limits.silenceTimeout
      case .listDevices where isOpen && event == .link(.bannerReceived):
        deadline = now + limits.handshakeTimeout
      case .watch, .listDevices: break
      }
      if event == .stopped, !isOver { problems.append("continues after a stop") }
      if isOver, isOpen || armed != nil {
        problems.append("leaves a connection or a timer")
      }
      // Every step has a deadline. After an early `timerFired`, which the machine may ignore, no
      // timer is armed here.
      if !isOver, armed == nil, event != .timerFired { problems.append("waits without a deadline") }
      if let armed, armed > deadline { problems.append("looks at \(armed), due at \(deadline)") }
      return problems
    }

    private mutating func check(_ action: Machine.Action) -> [String] {
      if isOver { return ["\(action) after the end"] }
      switch action {
      case .link(.resolve):
        return isOpen ? ["looks up while it is connected"] : []
      case .link(.open):
        defer { isOpen = true }
        return isOpen ? ["opens a second connection"] : []
      case .link(.send(let command)):
        if command != .unwatch { deadline = now + limits.handshakeTimeout }
        return isOpen ? [] : ["sends without a connection"]
      case .arm(let instant):
        armed = instant
        return instant >= now ? [] : ["sets the timer to the past"]
      case .disarm: armed = nil
      case .close: isOpen = false
      case .report(let state):
        defer { phase = state.phase }
        if state.phase == .connecting { deadline = now + limits.connectTimeout }
        if let delay = state.retryDelay { deadline = now + delay }
        if state.phase == .connected, !isOpen { return ["reports a connection without having one"] }
        if state.phase == .waiting, isOpen { return ["waits while it is connected"] }
      case .reportUnavailable: return phase == .connected ? [] : ["silent without a connection"]
      case .reportRefusal: break
      case .finish, .fail, .end: isOver = true
      }
      return []
    }
  }

  @Test func keepsItsInvariantsInEverySequence() async {
    let (sequences, problems) = await withTaskExecutorPreference(LongWork.shared) {
      Self.exploreAll()
    }
    #expect(problems.isEmpty, "\(problems)")
    let events = Self.events.count
    // For each of eight configurations, the powers of the number of events up to the length.
    #expect(
      sequences
        == 8 * (1...Self.length).reduce(0) { $0 + (0..<$1).reduce(1) { n, _ in n * events } })
    print("Connection: \(sequences) sequences of 1 to \(Self.length) events, none wrong")
  }

  private static func exploreAll() -> (Int, [String]) {
    var (sequences, problems) = (0, [String]())
    func explore(_ state: Checker, _ length: Int) {
      guard length > 0, problems.count < 5 else { return }
      for event in events {
        sequences += 1
        var next = state
        problems += next.handle(event).map { "\($0): \(next.history)" }
        explore(next, length - 1)
      }
    }
    for device in [nil, usb.name] {
      for purpose in [SocketStateMachine.Configuration.Purpose.watch, .listDevices] {
        // One is shorter than the silence timeout of 10 s, the other is longer.
        for handshakeTimeout in [Duration.seconds(5), .seconds(60)] {
          var configuration = SocketStateMachine.Configuration()
          (configuration.device, configuration.purpose) = (device, purpose)
          configuration.handshakeTimeout = handshakeTimeout
          var start = Checker(
            machine: Machine(SocketStateMachine(configuration)), limits: configuration)
          problems += start.handle(.started)
          explore(start, length)
        }
      }
    }
    return (sequences, problems)
  }
}

extension ConnectionStateMachine<SocketStateMachine>.Event {
  /// Whether the event contains data from gpsd.
  fileprivate var isReceived: Bool {
    switch self {
    case .link(.bannerReceived), .link(.linesArrived): true
    default: false
    }
  }
}
