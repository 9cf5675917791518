public import AsyncLocation

extension FailingBackend {
  /// The response that a test supplies for one endpoint of the manager.
  public struct Supply: Sendable, Hashable {
    private enum Kind: Hashable, Sendable {
      case allowed
      case events([BackendEvent], ends: Bool)
      case decision(AuthorizationDecision)
      case fullAccuracy(Duration?)
      case later
    }

    private let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    /// Permits the use. The endpoint works as with any backend; the endpoints of the backend that
    /// it then uses are reported unless the test supplies them.
    public static var allowed: Self { Self(.allowed) }

    /// Leaves a request open until the test answers, with
    /// ``FailingBackend/answerAuthorization(_:to:)`` or ``FailingBackend/answerFullAccuracy(_:)``.
    public static var later: Self { Self(.later) }

    /// Emits events each time that the endpoint is used: when its stream is open or its call waits.
    /// Permission is granted for the endpoint. Every open stream receives the events, because the
    /// manager has one source. Events that are not newer than earlier ones are moved forward in
    /// time, since a manager rejects them otherwise. If `events` is empty, nothing is emitted until
    /// the test calls ``FailingBackend/emit(_:)-(BackendEvent...)``.
    ///
    /// - Parameters:
    ///   - events: The events of one use.
    ///   - ends: True to end the run, and therefore every stream, after the events.
    public static func events(_ events: BackendEvent..., ends: Bool = false) -> Self {
      Self(.events(events, ends: ends))
    }

    /// Emits locations, as ``events(_:ends:)`` does.
    public static func locations(_ locations: Location..., ends: Bool = false) -> Self {
      Self(.events(locations.map(BackendEvent.location), ends: ends))
    }

    /// Supplies a decision. For `requestWhenInUseAuthorization` and `requestAlwaysAuthorization` it
    /// is the policy's answer. For an endpoint that reports permission, such as `authorization`, it
    /// is in effect when the manager is created.
    public static func answer(_ decision: AuthorizationDecision) -> Self {
      Self(.decision(decision))
    }

    /// Answers `requestTemporaryFullAccuracyAuthorization` with the duration of the grant; nil
    /// declines.
    public static func fullAccuracy(_ duration: Duration?) -> Self {
      Self(.fullAccuracy(duration))
    }

    var events: [BackendEvent]? {
      switch kind {
      case .events(let events, _): events
      case .allowed, .decision, .fullAccuracy, .later: nil
      }
    }

    var ends: Bool {
      switch kind {
      case .events(_, let ends): ends
      case .allowed, .decision, .fullAccuracy, .later: false
      }
    }

    var decision: AuthorizationDecision? {
      switch kind {
      case .decision(let decision): decision
      case .allowed, .events, .fullAccuracy, .later: nil
      }
    }

    /// The duration of the grant; nil if this does not answer a request for full accuracy.
    var fullAccuracy: Duration?? {
      switch kind {
      case .fullAccuracy(let duration): .some(duration)
      case .allowed, .events, .decision, .later: nil
      }
    }

    /// The endpoints that request permission.
    private static let requestingPermission: [LocationManager.Endpoint] = [
      .requestWhenInUseAuthorization, .requestAlwaysAuthorization,
    ]

    /// The endpoints that report permission.
    static let reportingPermission: [LocationManager.Endpoint] = [
      .authorization, .authorizationStatus, .accuracyAuthorization, .authorizationUpdates,
      .monitoringDiagnostics, .locationServicesEnabled,
    ]

    /// Whether an endpoint can have this supply.
    func fits(_ endpoint: LocationManager.Endpoint) -> Bool {
      switch kind {
      case .allowed, .events: true
      case .decision:
        Self.requestingPermission.contains(endpoint)
          || Self.reportingPermission.contains(endpoint)
      case .fullAccuracy: endpoint == .requestTemporaryFullAccuracyAuthorization
      case .later:
        Self.requestingPermission.contains(endpoint)
          || endpoint == .requestTemporaryFullAccuracyAuthorization
      }
    }

    /// The supply that the report of an unexpected use suggests.
    static func hint(for endpoint: LocationManager.Endpoint) -> String {
      switch endpoint {
      case .currentLocation, .nextLocation, .updates, .batches, .liveUpdates,
        .significantLocationChanges, .visits,
        .placemarks, .startUpdatingLocation, .requestLocation:
        ".locations(…)"
      case .headings, .satellites, .beacons, .connectionStates, .events: ".events(…)"
      case .requestWhenInUseAuthorization, .requestAlwaysAuthorization, .authorization,
        .authorizationStatus, .authorizationUpdates:
        ".answer(…)"
      case .requestTemporaryFullAccuracyAuthorization: ".fullAccuracy(…)"
      default: ".allowed"
      }
    }
  }
}

extension FailingBackend.Supply: CustomStringConvertible, CustomReflectable {
  public var description: String { "\(kind)" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
