public import AsyncLocation
public import LocationFleet
import OwnTracks

extension Fleet {
  /// Creates a fleet that follows the devices of a broker.
  ///
  /// The connection is opened when a stream is first read, when devices are first requested, or
  /// with the first command, and again whenever it breaks. A permanent error ends all streams with
  /// that error.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for an invalid configuration,
  ///   and `backendUnavailable` if the system has no thread or descriptor left.
  public convenience init(_ configuration: FleetConfiguration) throws(LocationError) {
    try configuration.validate()
    let hub = FleetHub(configuration, decode: { FleetContent($0) })
    self.init(hub, try FleetConnection(hub, configuration))
  }

  /// Creates a fleet that continues from the content of a storage, and stores all changes.
  ///
  /// The devices, the conditions and their states are read from the storage. The connection is
  /// opened as by ``init(_:)``. Changes while no fleet was running are derived from a device's next
  /// location: for example, a condition that the device no longer meets is reported once. Each
  /// location is stored together with the states and events that it causes. Events are delivered
  /// after they are stored. A location that the broker sends again changes nothing.
  ///
  /// While the storage cannot be written, changes wait in memory and are stored once it can be
  /// written again. If another server takes over a shared storage, all streams end with
  /// ``/AsyncLocation/LocationError/Code/superseded``.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for an invalid configuration;
  ///   `storageUnavailable` if the storage cannot be opened, for example because it is open in
  ///   another fleet; `backendUnavailable` if the system has no thread or descriptor left.
  public convenience init(
    _ configuration: FleetConfiguration, storage: some FleetStorage
  ) async throws(LocationError) {
    try configuration.validate()
    try await self.init(configuration, storage) { (hub) throws(LocationError) in
      try FleetConnection(hub, configuration)
    }
  }

  /// Creates a fleet that continues from the content of a storage, over any connection.
  ///
  /// - Parameter configuration: A validated configuration.
  convenience init(
    _ configuration: FleetConfiguration, _ storage: some FleetStorage,
    over connection: (FleetHub) throws(LocationError) -> FleetConnection
  ) async throws(LocationError) {
    let (session, stored) = try await storage.open()
    let hub = FleetHub(configuration, stored: stored, decode: { FleetContent($0) })
    let writer = FleetWriter(hub, session)
    let connection = try connection(hub)
    self.init(hub, connection, writer)
    writer.start(stoppingWith: connection.stop)
  }
}

extension FleetConnection {
  /// Creates the connection to the broker of a configuration.
  fileprivate init(_ hub: FleetHub, _ configuration: FleetConfiguration) throws(LocationError) {
    let broker = configuration.broker
    // The next owner of a partition continues the session, so a fleet that may have lost its part must
    // not take the session back.
    let obstacle: @Sendable () -> LocationError? = { [weak hub] in
      hub?.decide { state, _ in state.storing.problem }
    }
    let run = try BrokerRun(
      broker,
      BrokerRun.Role(
        subscriptions: configuration.subscriptions, formerFilters: configuration.formerFilters,
        obstacle: configuration.partition == nil ? nil : obstacle),
      identifier: broker.clientIdentifier ?? BrokerRun.randomIdentifier(), handler: hub)
    let task = DeferredTask {
      // A permanent error is reported by the last state of the connection, which ends the hub.
      try? await run.run()
      hub.shutDown()
    }
    self.init(
      start: { task.start() }, stop: { task.cancel() }, waitUntilStopped: { await task.wait() })
  }
}

extension FleetConfiguration {
  /// The subscriptions to request from the broker.
  ///
  /// A broker sends all retained messages at once. With QoS 1 they go through a queue of limited
  /// length, in Mosquitto 1,000 messages, and the rest is lost without notice. So the filter is
  /// first requested with QoS 0, which delivers the retained messages, and then with QoS 1 for live
  /// messages. A resumed session omits the request with QoS 0: no message was missed, and live
  /// messages keep QoS 1.
  var subscriptions: [BrokerOptions.Subscription] {
    let filter = subscription
    let live = BrokerOptions.Subscription(filter: filter, wantsRetained: false)
    // This topic is requested first, so that drops are counted while retained messages are sent.
    let drops = BrokerOptions.Subscription(
      filter: BrokerDrops.topic, quality: 0, isOptional: true)
    guard group == nil else { return [drops, live] }
    return [
      drops, BrokerOptions.Subscription(filter: filter, quality: 0, isForNewSession: true), live,
    ]
  }
}

extension FleetConfiguration {
  /// The filters that a session may still have from an earlier configuration.
  ///
  /// With them, a member of a group that followed the fleet alone before would receive all messages
  /// in addition to its share. A fleet that followed fewer or more topics before would receive some
  /// messages twice, or unwanted ones.
  fileprivate var formerFilters: [String] {
    var former = self
    former.includesAllMessages.toggle()
    guard group != nil else { return [former.subscription] }
    var alone = self
    alone.group = nil
    var formerAlone = former
    formerAlone.group = nil
    return [former, alone, formerAlone].map(\.subscription)
  }
}

extension FleetContent {
  init(_ payload: Span<UInt8>) {
    switch LocationDecoder.decode(payload) {
    case .location(let location, let request): self = .location(location, request: request)
    case .lastWill: self = .lastWill
    case .other: self = .other
    case .encrypted: self = .encrypted
    case .malformed: self = .malformed
    }
  }
}
