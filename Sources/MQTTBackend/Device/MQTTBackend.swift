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
/// The device is an app of OwnTracks or a ``LocationPublisher``. If the broker kept its last location,
/// that one arrives first. The locations arrive in ascending order of their time; repeated and late
/// ones are dropped, and those of a time beyond ``futureTolerance``. After the device's last will
/// there is no location until it sends one: another, or the same again, as a ``LocationPublisher`` does
/// when it is back. The first message of a time beyond it, or that
/// cannot be decoded, after a location makes the location unknown, too.
///
/// The backend recovers from transient errors by itself. Permanent errors end the run with
/// a ``/AsyncLocation/LocationError`` whose cause is a ``BrokerRefusal``. All runs of a process share
/// one thread, which never blocks.
public final class MQTTBackend: LocationBackend {
  /// The broker.
  public let configuration: MQTTConfiguration
  /// The topic of the device.
  public let topic: OwnTracksTopic
  /// How far a location's time may be in the future. Later ones are dropped, and the manager learns
  /// that the location is unknown: they would hold back all others until their time has come.
  public let futureTolerance: Duration
  public let authorizationPolicy: any AuthorizationPolicy
  private let identifier: String
  /// The numbers of the runs that are active.
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
  /// Runs at the same time, as of two managers, are connections of their own. Only the first one
  /// uses the configuration's client identifier; a number is appended for the others.
  ///
  /// - Throws: `CancellationError`, or ``/AsyncLocation/LocationError``: `invalidValue` for an invalid
  ///   configuration; `credentialsRefused`; `denied` if a rule of the broker forbids this client or
  ///   its subscription, which is also the permission then; `serverUntrusted` for the broker's
  ///   certificate; `unsupported` if it does not speak MQTT 5; with ``/AsyncLocation/Reconnection/never`` also
  ///   transient errors.
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
