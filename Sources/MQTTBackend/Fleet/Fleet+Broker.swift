public import AsyncLocation
public import LocationFleet
import OwnTracks

extension Fleet {
  /// Creates a fleet that follows the devices of a broker.
  ///
  /// The connection is opened when a stream is first read, or when devices are requested, and again
  /// whenever it breaks. An error that is permanent ends all streams with it.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for an invalid configuration, and
  ///   `backendUnavailable` if the system has no thread or descriptor left.
  public convenience init(_ configuration: FleetConfiguration) throws(LocationError) {
    try configuration.validate()
    let hub = FleetHub(configuration, decode: { FleetContent($0) })
    self.init(hub, try FleetConnection(hub, configuration))
  }

  /// Creates a fleet that continues from what a storage has, and stores what follows.
  ///
  /// The devices, the conditions and their states are those of the storage, and the connection is opened as
  /// without one. What a device did while the fleet was away follows from its next location: a condition
  /// that it meets no longer is reported once. Everything that arrives is stored, with the states and the
  /// events that follow from it; events are delivered after they are stored. A location that the broker
  /// sends again changes nothing.
  ///
  /// While the storage cannot be written, what is to be stored waits, and is stored when it can be written
  /// again. If another server takes over a storage that several share, all streams end with
  /// ``/AsyncLocation/LocationError/Code/superseded``.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for an invalid configuration;
  ///   `storageUnavailable` if the storage cannot be opened, such as one that is open in another fleet;
  ///   `backendUnavailable` if the system has no thread or descriptor left.
  public convenience init(
    _ configuration: FleetConfiguration, storage: some FleetStorage
  ) async throws(LocationError) {
    try configuration.validate()
    try await self.init(configuration, storage) { (hub) throws(LocationError) in
      try FleetConnection(hub, configuration)
    }
  }

  /// Creates a fleet that continues from what a storage has, over any connection.
  ///
  /// - Parameter configuration: Was validated.
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
  /// The connection to the broker of a configuration.
  fileprivate init(_ hub: FleetHub, _ configuration: FleetConfiguration) throws(LocationError) {
    let broker = configuration.broker
    let run = try BrokerRun(
      broker,
      BrokerRun.Role(
        subscriptions: configuration.subscriptions, formerFilters: configuration.formerFilters),
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
  /// A broker sends retained messages as fast as it finds them. With quality of service 1 they go
  /// through a queue of limited length, such as Mosquitto's of 1,000, and the rest is lost without
  /// notice. So they are requested without it, and then the same filter with it. A session that the
  /// broker has kept gets no further request: nothing was missed, and live messages keep theirs.
  var subscriptions: [BrokerOptions.Subscription] {
    let filter = subscription
    let live = BrokerOptions.Subscription(filter: filter, wantsRetained: false)
    // First, so that what is dropped while retained messages are sent is counted.
    let drops = BrokerOptions.Subscription(
      filter: BrokerDrops.topic, quality: 0, isOptional: true)
    guard group == nil else { return [drops, live] }
    return [
      drops, BrokerOptions.Subscription(filter: filter, quality: 0, isForNewSession: true), live,
    ]
  }
}

extension FleetConfiguration {
  /// A member of a group that was alone before would receive all messages beside its share, and a
  /// fleet that followed fewer or more topics would receive some twice, or those that it does not want.
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
    case .location(let location): self = .location(location)
    case .lastWill: self = .lastWill
    case .other: self = .other
    case .encrypted: self = .encrypted
    case .malformed: self = .malformed
    }
  }
}
