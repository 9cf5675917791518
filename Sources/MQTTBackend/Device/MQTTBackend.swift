public import AsyncLocation
public import OwnTracks

/// A backend that receives the locations of one device from an MQTT broker.
///
/// ```swift
/// let backend = MQTTBackend(
///   try MQTTConfiguration(url: "mqtt://broker.local"),
///   topic: try OwnTracksTopic(user: "jane", device: "boat"))
/// let manager = LocationManager(backend: backend)
/// ```
///
/// The device is an OwnTracks app or a ``LocationPublisher``. If the broker retains the device's
/// last location, that location arrives first. Locations arrive in ascending order of time.
/// Repeated and late locations are dropped, as are locations whose time is beyond
/// ``futureTolerance``.
///
/// After the device's last will, the location is unknown until the device sends one: a new location
/// or the same one again, as a ``LocationPublisher`` does when it reconnects. The location also
/// becomes unknown after a message that cannot be decoded, after a location whose time is beyond
/// the tolerance, and when only older locations have arrived for longer than the tolerance. Only
/// the first of these is reported until the next location.
///
/// The backend recovers from transient errors by itself. Permanent errors end the run with a
/// ``/AsyncLocation/LocationError``. Its cause is a ``BrokerRefusal``, except for an invalid
/// configuration. All runs of a process share one thread, which never blocks.
public final class MQTTBackend: LocationBackend {
  /// The broker.
  public let configuration: MQTTConfiguration
  /// The topic of the device.
  public let topic: OwnTracksTopic
  /// How far a location's time may be in the future. Locations beyond it are dropped, and the
  /// manager's location becomes unknown. If such a location were delivered, all others would be
  /// dropped until its time is reached.
  public let futureTolerance: Duration
  public let authorizationPolicy: any AuthorizationPolicy
  private let identifier: String
  /// The numbers of the active runs.
  private let runs = Locked(Set<Int>())

  /// Creates a backend. It does nothing until it is run.
  ///
  /// - Parameters:
  ///   - configuration: The broker.
  ///   - topic: The device's topic; its kind is not used.
  ///   - futureTolerance: How far a location's time may be in the future; ten seconds unless set.
  ///   - authorizationPolicy: Decides what a manager of this backend may access.
  public init(
    _ configuration: MQTTConfiguration, topic: OwnTracksTopic,
    futureTolerance: Duration = FleetLimits().futureTolerance,
    authorizationPolicy: any AuthorizationPolicy = .automatic
  ) {
    self.configuration = configuration
    self.topic = topic
    self.futureTolerance = futureTolerance
    self.authorizationPolicy = authorizationPolicy
    identifier = configuration.clientIdentifier ?? BrokerRun.randomIdentifier()
  }

  public var capabilities: BackendCapabilities { .locations }

  /// Produces events until its task is cancelled or a permanent error occurs.
  ///
  /// Concurrent runs, such as those of two managers, use separate connections. Only the first run
  /// uses the client identifier unchanged; the others append a number to it.
  ///
  /// - Throws: `CancellationError`, or ``/AsyncLocation/LocationError``: `invalidValue` for an
  ///   invalid configuration; `credentialsRefused`; `denied` if the broker's rules forbid this
  ///   client or its subscription, in which case the permission also becomes denied;
  ///   `serverUntrusted` if the broker's certificate is not trusted; `unsupported` if the broker
  ///   speaks no version of MQTT that ``MQTTConfiguration/version`` allows, or does not support the
  ///   subscription; with ``/AsyncLocation/Reconnection/never``, also transient errors.
  public func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    let name = topic.with(kind: .location).description
    let number = runs.withLock { runs in
      // A set of `count` numbers lacks at least one of `0...count`.
      let number = (0...runs.count).first { !runs.contains($0) } ?? 0
      runs.insert(number)
      return number
    }
    defer { _ = runs.withLock { $0.remove(number) } }
    let run = try BrokerRun(
      configuration, BrokerRun.Role(subscriptions: [.init(filter: name)]),
      identifier: number == 0 ? identifier : "\(identifier)-\(number + 1)",
      handler: DeviceHandler(
        device: "\(topic.user)/\(topic.device)", futureTolerance: futureTolerance, emit: emit))
    do {
      try await run.run()
    } catch let error as LocationError where error.code == .denied {
      emit([.authorization(.denied)])
      throw error
    }
  }
}
