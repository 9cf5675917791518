import AsyncLocation
import LocationTransport

/// Decides how to open and supervise one connection to a broker at a time. Performs no I/O.
struct BrokerLink: LinkStateMachine {
  struct Configuration: Sendable {
    var endpoint: String
    var reconnection = Reconnection.exponential()
    var connectTimeout = Duration.seconds(10)
    var keepAlive = Duration.seconds(60)
    /// The versions of MQTT to try, in this order. Not empty.
    var versions = [BrokerOptions.Version.mqtt5]
    /// Whether the addresses are those of several nodes, each of which may refuse for another reason.
    var hasSeveralNodes = false
    /// Whether a connection that the broker closes without an answer is tried with the next version.
    var takesClosureAsRefusal = false
    /// Whether a run continues when the broker refuses this client, since its credentials or its
    /// rights may be renewed.
    var outlastsRefusals = false
  }

  enum Event: Hashable, Sendable {
    /// Credentials and certificates were read.
    case prepared
    case preparationFailed(LocationError)
    case resolved([SocketAddress])
    case resolutionFailed(TransportFailure)
    /// The TCP connection or a call to libmosquitto failed.
    case broke(LocationError)
    /// - Parameter subscribes: Whether subscriptions are requested.
    case accepted(subscribes: Bool)
    case refused(LocationError)
    /// - Parameter problem: Set if the broker grants less than was requested.
    case subscribed(problem: LocationError?)
    /// A message arrived before the subscriptions were confirmed, as in a resumed session.
    case delivered
    /// A message was published; its acknowledgement follows.
    case published(PublicationID)
    /// The acknowledgement of a publication arrived.
    case acknowledged(PublicationID)
    /// The handler ended an open connection, and requested another one or none.
    case dropped(reconnects: Bool)
  }

  enum Action: Hashable, Sendable {
    case prepare
    case resolve
    case open(SocketAddress, BrokerOptions.Version)
    case subscribe
    /// Notifies the handler that messages can be published.
    case announce
    case keepAlive
    case disconnect
  }

  private enum State {
    case closed
    case preparing(deadline: Duration)
    case resolving(deadline: Duration)
    case opening(SocketAddress, rest: [SocketAddress], deadline: Duration)
    case subscribing(SocketAddress)
    case connected(SocketAddress)
  }

  private let configuration: Configuration
  private var state = State.closed
  /// The versions that were not refused, the one in use first.
  private var versions: ArraySlice<BrokerOptions.Version>
  /// Whether an earlier version was not refused by name, but closed without an answer.
  private var isVersionAssumed = false
  /// Whether the broker has accepted the preferred version in this run.
  private var speaksPreferredVersion = false
  private(set) var hasWorked = false
  /// Whether the broker accepted the last connection.
  private var wasAccepted = false
  /// The address of the last connection that was lost, which is tried last.
  private var lostAddress: SocketAddress?
  /// Whether any connection of the run has been established.
  private var wasConnected = false
  /// The unacknowledged publications, in order. A broker sends its acknowledgements in the same
  /// order.
  private var unacknowledged: [PublicationID] = []
  /// When the current first element of ``unacknowledged`` moved to the front.
  private var firstSince = Duration.zero

  init(_ configuration: Configuration) {
    self.configuration = configuration
    versions = configuration.versions[...]
  }

  var endpoint: String { configuration.endpoint }
  var reconnection: Reconnection { configuration.reconnection }

  var closingActions: [Action] {
    switch state {
    case .subscribing, .connected: [.disconnect]
    case .closed, .preparing, .resolving, .opening: []
    }
  }

  func mayHeal(_ error: LocationError) -> Bool {
    configuration.outlastsRefusals
      ? error.mayHeal(afterSuccess: wasConnected) : error.isTransient
  }

  mutating func connect(at now: Duration) -> [Decision] {
    // The version of an accepted connection is the first choice for the next one.
    if !wasAccepted { versions = configuration.versions[...] }
    dropAssumption()
    (hasWorked, wasAccepted, unacknowledged) = (false, false, [])
    let deadline = now + configuration.connectTimeout
    state = .preparing(deadline: deadline)
    return [.arm(at: deadline), .perform(.prepare)]
  }

  mutating func handle(_ event: Event, at now: Duration) -> [Decision] {
    switch (state, event) {
    case (.preparing(let deadline), .prepared):
      state = .resolving(deadline: deadline)
      return [.perform(.resolve)]
    case (.preparing, .preparationFailed(let error)):
      return failed(error)
    case (.resolving(let deadline), .resolved(let addresses)):
      return openNext(ordered(addresses)[...], deadline: deadline, otherwise: timedOut, now)
    case (.resolving, .resolutionFailed(let failure)):
      return failed(.cannotConnect(toBroker: endpoint, failure))
    case (.opening(let address, let rest, let deadline), .broke(let error))
    where hasOtherVersion(after: error),
      (.opening(let address, let rest, let deadline), .refused(let error))
    where hasOtherVersion(after: error):
      versions.removeFirst()
      isVersionAssumed = isVersionAssumed || error.cause is MosquittoClient.Failure
      return [.close] + openNext([address] + rest, deadline: deadline, otherwise: error, now)
    case (.opening(_, let rest, let deadline), .broke(let error)),
      (.opening(_, let rest, let deadline), .refused(let error)):
      // Another address of the same node would fail for the same reason.
      guard error.isTransient || configuration.hasSeveralNodes && !rest.isEmpty else {
        return failed(error)
      }
      dropAssumption()
      return [.close] + openNext(rest[...], deadline: deadline, otherwise: error, now)
    case (.opening(let address, _, let deadline), .accepted(let subscribes)):
      wasAccepted = true
      if versions.first == configuration.versions.first { speaksPreferredVersion = true }
      guard subscribes else { return connected(to: address, nil, now) }
      state = .subscribing(address)
      return [.arm(at: max(deadline, now + .seconds(1))), .perform(.subscribe)]
    case (.subscribing, .refused(let error)), (.connected, .refused(let error)),
      (.subscribing, .broke(let error)), (.connected, .broke(let error)):
      return failed(error)
    case (.subscribing(let address), .subscribed(let problem)):
      return connected(to: address, problem, now)
    case (.subscribing(let address), .delivered):
      return connected(to: address, nil, now)
    case (.connected, .subscribed(let problem?)):
      return [.reportConnected(problem, receivers: [], devices: nil)]
    case (.connected, .published(let publication)):
      if unacknowledged.isEmpty { firstSince = now }
      unacknowledged.append(publication)
      return []
    case (.connected, .acknowledged(let publication)):
      guard let index = unacknowledged.firstIndex(of: publication) else { return [] }
      unacknowledged.remove(at: index)
      // Only an acknowledgement of the first publication counts as progress. It may be lost while
      // those of later publications arrive.
      if index == 0 { firstSince = now }
      return []
    case (.connected, .dropped(let reconnects)):
      guard !reconnects else { return [.reconnect] }
      state = .closed
      return [.disarm, .close]
    case (.closed, _), (.preparing, _), (.resolving, _), (.opening, _), (.subscribing, _),
      (.connected, _):
      return []
    }
  }

  mutating func timerFired(at now: Duration) -> [Decision] {
    switch state {
    case .closed: return []
    case .preparing, .resolving, .subscribing: return failed(timedOut)
    case .opening(_, let rest, let deadline):
      dropAssumption()
      return [.close] + openNext(rest[...], deadline: deadline, otherwise: timedOut, now)
    case .connected:
      guard unacknowledged.isEmpty || now - firstSince < acknowledgementLimit else {
        return failed(.unacknowledged(by: endpoint, for: acknowledgementLimit))
      }
      return [.arm(at: now + supervisionInterval), .perform(.keepAlive)]
    }
  }

  private mutating func connected(
    to address: SocketAddress, _ problem: LocationError?, _ now: Duration
  ) -> [Decision] {
    state = .connected(address)
    (hasWorked, wasConnected) = (true, true)
    return [
      .arm(at: now + supervisionInterval), .perform(.announce),
      .reportConnected(problem, receivers: [], devices: nil),
    ]
  }

  /// Whether the broker may accept another version of MQTT than the one that it refused. RabbitMQ
  /// 3.10 closes a connection with MQTT 5 without an answer.
  private func hasOtherVersion(after error: LocationError) -> Bool {
    guard versions.count > 1 else { return false }
    return (error.cause as? BrokerRefusal) == .protocolVersion
      || configuration.takesClosureAsRefusal && !speaksPreferredVersion
        && error.cause is MosquittoClient.Failure
  }

  /// Tries all versions again if one was only assumed to be refused: the next address may accept it.
  private mutating func dropAssumption() {
    if exchange(&isVersionAssumed, with: false) { versions = configuration.versions[...] }
  }

  /// Divides the remaining time evenly among the addresses, so that an address that does not
  /// respond leaves time for the others.
  private mutating func openNext(
    _ addresses: ArraySlice<SocketAddress>, deadline: Duration, otherwise error: LocationError,
    _ now: Duration
  ) -> [Decision] {
    guard let first = addresses.first, let version = versions.first, now < deadline else {
      return failed(error)
    }
    state = .opening(first, rest: Array(addresses.dropFirst()), deadline: deadline)
    return [
      .arm(at: now + (deadline - now) / addresses.count), .perform(.open(first, version)),
    ]
  }

  /// Begins with the address after the lost one, which is tried last: a node of a cluster may
  /// accept connections and then fail each time.
  private func ordered(_ addresses: [SocketAddress]) -> [SocketAddress] {
    guard let lostAddress, let index = addresses.firstIndex(of: lostAddress) else {
      return addresses
    }
    return Array(addresses[(index + 1)...] + addresses[...index])
  }

  private mutating func failed(_ error: LocationError) -> [Decision] {
    switch state {
    case .subscribing(let address), .connected(let address): lostAddress = address
    case .closed, .preparing, .resolving, .opening: break
    }
    state = .closed
    return [.fail(error)]
  }

  private var timedOut: LocationError {
    .brokerTimedOut(endpoint, after: configuration.connectTimeout)
  }

  /// How often libmosquitto checks whether a ping is due or unanswered.
  private var supervisionInterval: Duration {
    min(max(configuration.keepAlive / 4, .seconds(1)), .seconds(15))
  }

  /// The longest time that the first publication may remain unacknowledged. It exceeds the time in
  /// which an unanswered ping is detected.
  private var acknowledgementLimit: Duration { configuration.keepAlive * 3 }
}

extension MQTTConfiguration.ProtocolVersion {
  /// The versions to try, in this order.
  var choices: [BrokerOptions.Version] {
    switch self {
    case .automatic: [.mqtt5, .mqtt311]
    case .mqtt5: [.mqtt5]
    case .mqtt311: [.mqtt311]
    }
  }
}
