public import AsyncLocation
public import LocationFleet
import OwnTracks

/// A broker in memory, for tests of programs that follow a fleet.
///
/// ```swift
/// let broker = MockBroker()
/// let fleet = try Fleet(FleetConfiguration(), broker: broker)
/// var updates = fleet.updates.makeAsyncIterator()
/// broker.publish(location, from: boat)
/// let update = try await updates.next()
/// ```
///
/// A published message reaches all connected fleets before the call returns, in the order of the
/// calls. While another call is publishing, that call delivers the message instead, possibly after
/// this call has returned. A fleet connects when it is first read, as with a real broker, and then
/// receives the last retained message of each topic. After ``disconnect(because:)``, the fleets
/// miss all messages that are not retained, until ``connect()`` is called.
public final class MockBroker: Sendable {
  private struct State {
    var clients: [Client] = []
    /// One message for each topic, in the order of arrival.
    var retained: [(topic: String, payload: [UInt8])] = []
    var isConnected = true
    var received: [Publication] = []
    /// The steps that wait for earlier ones.
    var waiting: [@Sendable () -> Void] = []
    /// Whether a call is running steps.
    var isRunning = false
  }

  /// A message that a fleet has published: a command, or a confirmation of stored locations.
  public struct Publication: Sendable, Hashable {
    /// The topic.
    public let topic: String
    /// The payload.
    public let payload: [UInt8]
  }

  private let state = Locked(State())

  /// Creates a broker without messages.
  public init() {}

  // MARK: Messages

  /// Publishes a location as a device does.
  public func publish(
    _ location: Location, from device: FleetDevice.ID, base: String = "owntracks",
    isRetained: Bool = true
  ) {
    publish(
      OwnTracksMessage.location(LocationMessage(location)).json, to: "\(base)/\(device)",
      isRetained: isRetained)
  }

  /// Publishes a payload. A retained message with an empty payload removes the retained message of
  /// its topic.
  public func publish(_ payload: [UInt8], to topic: String, isRetained: Bool = false) {
    run { [self] in
      let clients = state.withLock { state in
        if isRetained {
          state.retained.removeAll { $0.topic.hasSameBytes(as: topic) }
          if !payload.isEmpty { state.retained.append((topic, payload)) }
        }
        return state.isConnected ? state.clients.filter(\.isOpen) : []
      }
      // A client that is already subscribed receives the message without the retain flag.
      for client in clients { client.receive([(topic, payload)], areRetained: false) }
    }
  }

  /// The messages that the fleets have published, in order: their commands, and confirmations for
  /// devices that request them.
  public var received: [Publication] { state.withLock(\.received) }

  // MARK: Connections

  /// The number of fleets that are connected.
  public var connectionCount: Int {
    state.withLock { state in state.isConnected ? state.clients.count(where: \.isOpen) : 0 }
  }

  /// Ends the connections of all fleets. The fleets then wait for another connection.
  ///
  /// - Parameter problem: The problem that the states of the connections report.
  public func disconnect(
    because problem: LocationError = LocationError(
      .backendUnavailable, "The test disconnected the broker.")
  ) {
    run { [self] in
      let clients = state.withLock { state in
        defer { state.isConnected = false }
        return state.isConnected ? state.clients.filter(\.isOpen) : []
      }
      for client in clients { client.disconnect(problem) }
    }
  }

  /// Connects the waiting fleets.
  public func connect() {
    run { [self] in
      let clients = state.withLock { state in
        defer { state.isConnected = true }
        return state.isConnected ? [] : state.clients.filter(\.isOpen)
      }
      for client in clients { connect(client) }
    }
  }

  private func connect(_ client: Client) {
    client.connect(to: self)
    client.receive(state.withLock(\.retained), areRetained: true)
  }

  /// Runs a step after all earlier steps, each with no lock held.
  fileprivate func run(_ step: @escaping @Sendable () -> Void) {
    let isFirst = state.withLock { state in
      state.waiting.append(step)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard isFirst else { return }
    while let next = nextStep() { next() }
  }

  private func nextStep() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.isRunning = false
      return nil
    }
  }

  fileprivate func receive(_ publication: Publication) {
    state.withLock { $0.received.append(publication) }
  }

  /// A connection of a hub, which begins when the fleet is first read.
  fileprivate func connection(_ hub: FleetHub, filter: String) -> FleetConnection {
    let client = Client(hub, filter: filter)
    return FleetConnection(
      start: { [self] in
        run { [self] in
          guard client.open() else { return }
          let isConnected = state.withLock { state in
            state.clients.append(client)
            return state.isConnected
          }
          if isConnected { connect(client) }
        }
      },
      stop: { [self] in
        run { [self] in
          state.withLock { $0.clients.removeAll { $0 === client } }
          client.close()
        }
      },
      waitUntilStopped: { [self] in
        await withCheckedContinuation { continuation in run { continuation.resume() } }
      })
  }
}

extension Fleet {
  /// Creates a fleet that follows the devices of a broker in memory, for tests.
  ///
  /// - Parameters:
  ///   - configuration: The configuration. Its broker is ignored.
  ///   - broker: The broker.
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for an invalid configuration,
  ///   and `unsupported` for a group.
  public convenience init(
    _ configuration: FleetConfiguration = FleetConfiguration(), broker: MockBroker
  ) throws(LocationError) {
    try configuration.checkForMock()
    let hub = FleetHub(configuration, decode: { FleetContent($0) })
    self.init(hub, broker.connection(hub, filter: configuration.subscription))
  }

  /// Creates a fleet that follows the devices of a broker in memory, and continues from the content
  /// of a storage.
  ///
  /// - Throws: As ``init(_:broker:)`` does, and `storageUnavailable` if the storage cannot be
  ///   opened.
  public convenience init(
    _ configuration: FleetConfiguration = FleetConfiguration(), broker: MockBroker,
    storage: some FleetStorage
  ) async throws(LocationError) {
    try configuration.checkForMock()
    try await self.init(configuration, storage) { hub in
      broker.connection(hub, filter: configuration.subscription)
    }
  }
}

extension FleetConfiguration {
  fileprivate func checkForMock() throws(LocationError) {
    try validate()
    guard group != nil else { return }
    throw LocationError(
      .unsupported, "A MockBroker has no groups; test the members of a group with a broker.")
  }
}

/// A fleet's hub as a client of a ``MockBroker``. Used by the broker's steps, one at a time.
private final class Client: Sendable {
  private enum Phase { case new, open, closed }

  private let hub: FleetHub
  private let filter: [Substring]
  private let phase = Locked(Phase.new)

  init(_ hub: FleetHub, filter: String) {
    self.hub = hub
    self.filter = filter.split(separator: "/", omittingEmptySubsequences: false)
  }

  var isOpen: Bool { phase.withLock(\.self) == .open }

  /// Opens the client. Returns false if it was opened or closed before.
  func open() -> Bool {
    phase.withLock { phase in
      guard phase == .new else { return false }
      phase = .open
      return true
    }
  }

  func close() {
    let wasOpen = phase.withLock { phase in
      defer { phase = .closed }
      return phase == .open
    }
    if wasOpen { hub.disconnected() }
  }

  func connect(to broker: MockBroker) {
    hub.connected(MockChannel(broker, hub), resumesSession: false)
    hub.changed(ConnectionState(.connected))
  }

  func disconnect(_ problem: LocationError) {
    hub.disconnected()
    hub.changed(ConnectionState(.waiting, problem: problem))
  }

  func receive(_ messages: [(topic: String, payload: [UInt8])], areRetained: Bool) {
    for (topic, payload) in messages where isMatch(topic) {
      hub.received(topic: topic.utf8.span, payload: payload.span, isRetained: areRetained)
    }
    hub.flush()
  }

  /// Whether the filter matches a topic: MQTT 5, section 4.7.
  private func isMatch(_ topic: String) -> Bool {
    let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
    for (index, level) in filter.enumerated() {
      if level == "#" { return true }
      guard index < levels.count else { return false }
      guard level == "+" || level.utf8.elementsEqual(levels[index].utf8) else { return false }
    }
    return levels.count == filter.count
  }
}

/// Receives and acknowledges the publications of a fleet.
private final class MockChannel: BrokerChannel, Sendable {
  let limits = BrokerLimits()
  private let broker: MockBroker
  private let hub: FleetHub
  private let lastPublication = Locked<Int32>(0)

  init(_ broker: MockBroker, _ hub: FleetHub) { (self.broker, self.hub) = (broker, hub) }

  var submit: @Sendable (@escaping @Sendable () -> Void) -> Void {
    { [broker] step in broker.run(step) }
  }

  func publish(_ payload: [UInt8], to topic: String, retained: Bool) -> PublicationOutcome {
    broker.receive(MockBroker.Publication(topic: topic, payload: payload))
    let publication = lastPublication.withLock { last in
      last += 1
      return PublicationID(rawValue: last)
    }
    broker.run { [hub] in hub.acknowledged(publication, refusal: nil) }
    return .sent(publication)
  }

  func drop(reconnects: Bool) {}
}
