import AsyncLocation
import MockBackend
import TestSupport
import Testing

@testable import LocationTransport
@testable import MQTTBackend

/// Every event in every state of a connection.
@Suite(.inTurn) struct BrokerLinkTests {
  typealias Decision = BrokerLink.Decision

  /// The states, in the order of the events that lead to them.
  enum State: String, CaseIterable, Sendable {
    case closed, preparing, resolving, opening, subscribing, connected
  }

  enum Input: String, CaseIterable, Sendable {
    case prepared, preparationFailed, resolved, resolvedToNothing, resolutionFailed, broke
    case brokeForGood, accepted, refused, subscribed, delivered, published, acknowledged, timer

    /// The event; nil for ``timer``, which has its own function.
    var event: BrokerLink.Event? {
      switch self {
      case .prepared: .prepared
      case .preparationFailed: .preparationFailed(BrokerLinkTests.permanent)
      case .resolved: .resolved([BrokerLinkTests.address(1), BrokerLinkTests.address(2)])
      case .resolvedToNothing: .resolved([])
      case .resolutionFailed: .resolutionFailed(.tooManyLookups)
      case .broke: .broke(BrokerLinkTests.transient)
      case .brokeForGood: .broke(BrokerLinkTests.permanent)
      case .accepted: .accepted(subscribes: true)
      case .refused: .refused(BrokerLinkTests.permanent)
      case .subscribed: .subscribed(problem: nil)
      case .delivered: .delivered
      case .published: .published(PublicationID(rawValue: 1))
      case .acknowledged: .acknowledged(PublicationID(rawValue: 1))
      case .timer: nil
      }
    }
  }

  static let permanent = LocationError(.denied, "No.")
  static let transient = LocationError(.connectionLost, "Gone.")
  static let timedOut = LocationError.brokerTimedOut("mqtt://broker:1883", after: .seconds(10))
  static let notFound = LocationError.cannotConnect(
    toBroker: "mqtt://broker:1883", .tooManyLookups)

  static func address(_ last: UInt8) -> SocketAddress {
    SocketAddress(family: 2, bytes: [2, 0, 7, 91, 127, 0, 0, last])
  }

  static let connected: [Decision] = [
    .arm(at: .seconds(18)), .perform(.announce),
    .reportConnected(nil, receivers: [], devices: nil),
  ]

  /// The decisions at 3 s of a connection that began at 0 s. All other events cause none.
  static let decisions: [State: [Input: [Decision]]] = [
    .preparing: [
      .prepared: [.perform(.resolve)], .preparationFailed: [.fail(permanent)],
      .timer: [.fail(timedOut)],
    ],
    .resolving: [
      // Each address gets half of the remaining 7 s.
      .resolved: [.arm(at: .milliseconds(6_500)), .perform(.open(address(1), .mqtt5))],
      .resolvedToNothing: [.fail(timedOut)], .resolutionFailed: [.fail(notFound)],
      .timer: [.fail(timedOut)],
    ],
    .opening: [
      .broke: [.close, .arm(at: .seconds(10)), .perform(.open(address(2), .mqtt5))],
      .brokeForGood: [.fail(permanent)],
      .accepted: [.arm(at: .seconds(10)), .perform(.subscribe)], .refused: [.fail(permanent)],
      .timer: [.close, .arm(at: .seconds(10)), .perform(.open(address(2), .mqtt5))],
    ],
    .subscribing: [
      .broke: [.fail(transient)], .brokeForGood: [.fail(permanent)],
      .refused: [.fail(permanent)], .subscribed: connected, .delivered: connected,
      .timer: [.fail(timedOut)],
    ],
    .connected: [
      .broke: [.fail(transient)], .brokeForGood: [.fail(permanent)],
      .refused: [.fail(permanent)], .timer: [.arm(at: .seconds(18)), .perform(.keepAlive)],
    ],
  ]

  /// A link that was brought to a state at 0 s.
  static func link(in state: State) -> BrokerLink {
    var link = BrokerLink(BrokerLink.Configuration(endpoint: "mqtt://broker:1883"))
    guard state != .closed else { return link }
    _ = link.connect(at: .zero)
    let events: [BrokerLink.Event] = [
      .prepared, .resolved([address(1), address(2)]), .accepted(subscribes: true),
      .subscribed(problem: nil),
    ]
    let count = (State.allCases.firstIndex(of: state) ?? 1) - 1
    for event in events.prefix(count) { _ = link.handle(event, at: .zero) }
    return link
  }

  @Test(arguments: State.allCases, Input.allCases)
  func decides(_ state: State, _ input: Input) {
    var link = Self.link(in: state)
    let decisions =
      if let event = input.event {
        link.handle(event, at: .seconds(3))
      } else {
        link.timerFired(at: .seconds(3))
      }
    #expect(decisions == Self.decisions[state]?[input] ?? [])
    // A failed connection handles no further event.
    guard case .fail? = decisions.last else { return }
    for input in Input.allCases {
      guard let event = input.event else { continue }
      #expect(link.handle(event, at: .seconds(4)).isEmpty)
    }
    #expect(link.timerFired(at: .seconds(4)).isEmpty)
    #expect(link.closingActions.isEmpty)
  }

  @Test(arguments: State.allCases)
  func disconnectsOnlyWhenOpen(_ state: State) {
    let isOpen = state == .subscribing || state == .connected
    #expect(Self.link(in: state).closingActions == (isOpen ? [.disconnect] : []))
    #expect(Self.link(in: state).hasWorked == (state == .connected))
  }

  @Test func connectsWithoutSubscriptions() {
    var link = Self.link(in: .opening)
    #expect(link.handle(.accepted(subscribes: false), at: .seconds(3)) == Self.connected)
  }

  /// A new connection starts from the beginning, whatever the state of the previous one.
  @Test(arguments: State.allCases)
  func connectsAgain(_ state: State) {
    var link = Self.link(in: state)
    #expect(
      link.connect(at: .seconds(20)) == [.arm(at: .seconds(30)), .perform(.prepare)])
    #expect(!link.hasWorked)
  }

  /// A broker may accept connections and close each at once, for example because another client
  /// keeps replacing this one.
  @Test func immediatelyLostConnectionsDoNotResetTheDelay() {
    var machine = ConnectionStateMachine(
      BrokerLink(
        BrokerLink.Configuration(
          endpoint: "mqtt://broker:1883",
          reconnection: .exponential(initial: .seconds(1), maximum: .seconds(30), jitter: 0))))
    var generator: any RandomNumberGenerator = SplitMix64(seed: 1)
    var (now, delays): (Duration, [Duration]) = (.zero, [])
    var next = ConnectionStateMachine<BrokerLink>.Event.started
    for _ in 0..<4 {
      for event in [
        next, .link(.prepared), .link(.resolved([Self.address(1)])),
        .link(.accepted(subscribes: false)),
      ] {
        _ = machine.handle(event, at: now, using: &generator)
      }
      now += .milliseconds(5)
      for action in machine.handle(.link(.broke(Self.transient)), at: now, using: &generator) {
        if case .report(let state) = action, let delay = state.retryDelay { delays.append(delay) }
      }
      now += delays.last ?? .zero
      next = .timerFired
    }
    #expect(delays == [1, 2, 4, 8].map { .seconds($0) })
  }

  /// The first publication in flight may be unacknowledged for three keep-alive intervals, here of
  /// a minute.
  @Test func connectionWithoutAcknowledgementsFails() {
    var link = Self.link(in: .connected)
    let failure: [Decision] = [.fail(.unacknowledged(by: "mqtt://broker:1883", for: .seconds(180)))]
    func fails(at second: Int) -> Bool { link.timerFired(at: .seconds(second)) == failure }
    #expect(!fails(at: 1_000), "Nothing was published.")
    func handle(_ event: BrokerLink.Event, at second: Int) {
      _ = link.handle(event, at: .seconds(second))
    }
    let (first, second) = (PublicationID(rawValue: 1), PublicationID(rawValue: 2))
    handle(.published(first), at: 1_000)
    handle(.published(second), at: 1_100)
    #expect(!fails(at: 1_179))
    handle(.acknowledged(first), at: 1_179)
    #expect(!fails(at: 1_358), "The second one is waited for since then.")
    handle(.acknowledged(second), at: 1_358)
    #expect(!fails(at: 5_000))
    handle(.published(first), at: 5_000)
    #expect(!fails(at: 5_179))
    #expect(fails(at: 5_180))
    // Publications in flight on this connection are not in flight on the next one.
    _ = link.connect(at: .seconds(5_200))
    let events: [BrokerLink.Event] = [
      .prepared, .resolved([Self.address(1)]), .accepted(subscribes: true),
      .subscribed(problem: nil),
    ]
    for event in events {
      _ = link.handle(event, at: .seconds(5_200))
    }
    #expect(!fails(at: 9_000))
  }

  /// One acknowledgement is lost while others arrive.
  @Test func aLostAcknowledgementIsNoticed() {
    var link = Self.link(in: .connected)
    _ = link.handle(.published(PublicationID(rawValue: 1)), at: .seconds(1_000))
    for second in 1_001..<1_180 {
      let other = PublicationID(rawValue: Int32(second))
      _ = link.handle(.published(other), at: .seconds(second))
      _ = link.handle(.acknowledged(other), at: .seconds(second))
    }
    #expect(
      link.timerFired(at: .seconds(1_180))
        == [.fail(.unacknowledged(by: "mqtt://broker:1883", for: .seconds(180)))])
  }

  /// A publisher's run continues after refusals. An unusable file ends the run unless a connection
  /// has succeeded before.
  @Test(arguments: [
    (LocationError.Code.credentialsRefused, true, true), (.denied, true, true),
    (.invalidValue, false, true), (.serverUntrusted, false, false), (.unsupported, false, false),
    (.connectionLost, true, true),
  ])
  func someErrorsMayHeal(_ code: LocationError.Code, initially: Bool, afterSuccess: Bool) {
    let error = LocationError(code, "x")
    var link = BrokerLink(
      BrokerLink.Configuration(
        endpoint: "mqtt://broker:1883", outlastsRefusals: true))
    #expect(link.mayHeal(error) == initially)
    _ = link.connect(at: .zero)
    let events: [BrokerLink.Event] = [
      .prepared, .resolved([Self.address(1)]), .accepted(subscribes: false),
    ]
    for event in events { _ = link.handle(event, at: .zero) }
    _ = link.connect(at: .seconds(1))
    #expect(link.mayHeal(error) == afterSuccess)
    #expect(Self.link(in: .connected).mayHeal(error) == error.isTransient)
  }

  @Test func theLastAddressEndsTheAttempt() {
    var link = Self.link(in: .opening)
    _ = link.handle(.broke(Self.transient), at: .seconds(1))
    #expect(
      link.handle(.broke(Self.transient), at: .seconds(2))
        == [.close, .fail(Self.transient)])
  }

  // MARK: Nodes

  /// Begins another connection attempt, and returns the first address that it tries.
  private static func nextAddress(_ link: inout BrokerLink) -> SocketAddress? {
    _ = link.connect(at: .seconds(20))
    _ = link.handle(.prepared, at: .seconds(20))
    for case .perform(.open(let address, _)) in link.handle(
      .resolved([1, 2, 3].map(address)), at: .seconds(20))
    {
      return address
    }
    return nil
  }

  @Test(
    "F78 the address of a lost connection is tried last",
    arguments: [State.subscribing, .connected])
  func lostAddress(_ state: State) {
    var link = Self.link(in: state)
    _ = link.handle(.broke(Self.transient), at: .seconds(3))
    #expect(Self.nextAddress(&link) == Self.address(2))
    _ = link.handle(.broke(Self.transient), at: .seconds(21))
    #expect(
      link.handle(.broke(Self.transient), at: .seconds(22)).last
        == .perform(.open(Self.address(1), .mqtt5)))
  }

  @Test("F78 a node that accepts no subscription in time is tried last")
  func silentNode() {
    var link = Self.link(in: .subscribing)
    #expect(link.timerFired(at: .seconds(10)) == [.fail(Self.timedOut)])
    #expect(Self.nextAddress(&link) == Self.address(2))
  }

  @Test(
    "F78 an address that could not be opened keeps its place",
    arguments: [State.opening, .resolving])
  func unopenedAddress(_ state: State) {
    var link = Self.link(in: state)
    _ = link.timerFired(at: .seconds(10))
    #expect(Self.nextAddress(&link) == Self.address(1))
  }

  @Test("F78 after a transient refusal of a node the next one is tried")
  func refusingNode() {
    var link = Self.link(in: .opening)
    #expect(
      link.handle(.refused(Self.transient), at: .seconds(3))
        == [.close, .arm(at: .seconds(10)), .perform(.open(Self.address(2), .mqtt5))])
  }

  // MARK: Versions

  /// A link that tries two versions and is opening the first of two addresses.
  private static func openingWithTwoVersions() -> BrokerLink {
    var link = BrokerLink(
      BrokerLink.Configuration(endpoint: "mqtt://broker:1883", versions: [.mqtt5, .mqtt311]))
    _ = link.connect(at: .zero)
    _ = link.handle(.prepared, at: .zero)
    _ = link.handle(.resolved([address(1), address(2)]), at: .zero)
    return link
  }

  /// Begins another connection attempt, and returns the version that it tries first.
  private static func nextVersion(_ link: inout BrokerLink) -> BrokerOptions.Version? {
    _ = link.connect(at: .seconds(20))
    _ = link.handle(.prepared, at: .seconds(20))
    for case .perform(.open(_, let version)) in link.handle(
      .resolved([address(1)]), at: .seconds(20))
    {
      return version
    }
    return nil
  }

  private static let noBroker = LocationError.noBroker("mqtt://broker:1883")

  @Test(
    "F80 a broker that refuses a version is asked for the next one, at the same address",
    arguments: [BrokerLink.Event.refused(noBroker), .broke(noBroker)])
  func refusedVersion(_ refusal: BrokerLink.Event) {
    var link = Self.openingWithTwoVersions()
    #expect(
      link.handle(refusal, at: .seconds(1)) == [
        .close, .arm(at: .milliseconds(5_500)), .perform(.open(Self.address(1), .mqtt311)),
      ])
    #expect(link.handle(.accepted(subscribes: false), at: .seconds(3)) == Self.connected)
    #expect(Self.nextVersion(&link) == .mqtt311)
  }

  @Test("F80 a version that was not accepted is tried anew by the next connection")
  func versionsBeginAnew() {
    var link = Self.openingWithTwoVersions()
    for _ in 0..<2 { _ = link.handle(.refused(Self.noBroker), at: .seconds(1)) }
    #expect(link.closingActions.isEmpty)
    #expect(Self.nextVersion(&link) == .mqtt5)
  }

  private static let closed = LocationError(
    .connectionLost, "Closed.", cause: MosquittoClient.Failure(status: 7))

  /// A link that is opening the only address, and takes a closed connection as a refusal.
  private static func openingWithAssumption(
    of addresses: [SocketAddress] = [address(1)]
  ) -> BrokerLink {
    var link = BrokerLink(
      BrokerLink.Configuration(
        endpoint: "mqtt://broker:1883", versions: [.mqtt5, .mqtt311], takesClosureAsRefusal: true))
    _ = link.connect(at: .zero)
    _ = link.handle(.prepared, at: .zero)
    _ = link.handle(.resolved(addresses), at: .zero)
    return link
  }

  @Test("F80 a broker that closes without an answer is asked for the next version each time")
  func closedWithoutAnswer() {
    var link = Self.openingWithAssumption()
    #expect(
      link.handle(.broke(Self.closed), at: .seconds(1)) == [
        .close, .arm(at: .seconds(10)), .perform(.open(Self.address(1), .mqtt311)),
      ])
    #expect(link.handle(.accepted(subscribes: false), at: .seconds(3)) == Self.connected)
    #expect(Self.nextVersion(&link) == .mqtt5)
    #expect(
      link.handle(.broke(Self.closed), at: .seconds(21)).last
        == .perform(.open(Self.address(1), .mqtt311)))
    #expect(
      link.handle(.broke(Self.closed), at: .seconds(22)) == [.close, .fail(Self.closed)])
  }

  @Test("F80 a node that closes without an answer does not decide the version of the next one")
  func assumptionOfOneNode() {
    var link = Self.openingWithAssumption(of: [Self.address(1), Self.address(2)])
    _ = link.handle(.broke(Self.closed), at: .seconds(1))
    #expect(
      link.handle(.broke(Self.closed), at: .seconds(2)).last
        == .perform(.open(Self.address(2), .mqtt5)))
  }

  @Test(
    "F78 a node that refuses for good is passed over",
    arguments: [LocationError.Code.serverUntrusted, .credentialsRefused, .unsupported])
  func refusingForGood(_ code: LocationError.Code) {
    let error = LocationError(code, "No.")
    var link = BrokerLink(
      BrokerLink.Configuration(endpoint: "mqtt://a,b", hasSeveralNodes: true))
    _ = link.connect(at: .zero)
    _ = link.handle(.prepared, at: .zero)
    _ = link.handle(.resolved([Self.address(1), Self.address(2)]), at: .zero)
    #expect(
      link.handle(.broke(error), at: .seconds(3)).last
        == .perform(.open(Self.address(2), .mqtt5)))
    #expect(link.handle(.refused(error), at: .seconds(4)) == [.fail(error)])
  }

  @Test("F80 a broker that has accepted the preferred version is not asked for another one")
  func closedByAKnownBroker() {
    var link = Self.openingWithAssumption()
    _ = link.handle(.accepted(subscribes: false), at: .seconds(3))
    #expect(Self.nextVersion(&link) == .mqtt5)
    #expect(
      link.handle(.broke(Self.closed), at: .seconds(21)) == [.close, .fail(Self.closed)])
  }

  @Test("F80 a refusal for another reason ends the attempt")
  func otherRefusals() {
    var link = Self.openingWithTwoVersions()
    #expect(
      link.handle(.refused(Self.permanent), at: .seconds(1)) == [.fail(Self.permanent)])
  }
}
