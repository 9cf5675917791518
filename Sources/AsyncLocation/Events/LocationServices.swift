/// The services that produce a manager's ``LocationManager/events``. Encoded as a JSON array of
/// names.
public struct LocationServices: NamedOptions, Sendable, Hashable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Locations, as Core Location's standard location service.
  public static var locations: Self { Self(rawValue: 1 << 0) }
  /// Headings.
  public static var headings: Self { Self(rawValue: 1 << 1) }
  /// Satellite views.
  public static var satellites: Self { Self(rawValue: 1 << 2) }
  /// Beacons.
  public static var beacons: Self { Self(rawValue: 1 << 3) }
  /// Visits.
  public static var visits: Self { Self(rawValue: 1 << 4) }
  /// Significant changes, as ``LocationEvent/didUpdateLocations(_:)``. Without effect in a stream
  /// that also has ``locations``.
  public static var significantLocationChanges: Self { Self(rawValue: 1 << 5) }

  /// Every service except significant changes.
  public static var all: Self { [.locations, .headings, .satellites, .beacons, .visits] }

  package static var names: [(name: String, option: Self)] {
    [
      ("locations", .locations),
      ("headings", .headings),
      ("satellites", .satellites),
      ("beacons", .beacons),
      ("visits", .visits),
      ("significantLocationChanges", .significantLocationChanges),
    ]
  }

  /// The reports that these services need from a backend.
  var kinds: BackendCapabilities {
    var kinds: BackendCapabilities = []
    if !isDisjoint(with: .derived.union(.locations)) { kinds.insert(.locations) }
    if contains(.headings) { kinds.insert(.headings) }
    if contains(.satellites) { kinds.insert(.satellites) }
    if contains(.beacons) { kinds.insert(.beacons) }
    return kinds
  }

  /// The services that a backend can provide.
  func provided(by capabilities: BackendCapabilities) -> Self {
    filtered { capabilities.isSuperset(of: $0.kinds) }
  }

  /// The services that a backend cannot provide.
  func missing(from capabilities: BackendCapabilities) -> Self {
    filtered { !capabilities.isSuperset(of: $0.kinds) }
  }

  /// The events that report why these services cannot start.
  ///
  /// - Parameter refusal: The refusal of permission, if any.
  func failures(
    _ capabilities: BackendCapabilities, _ refusal: LocationError?
  ) -> [LocationEvent] {
    let missing = isSuperset(of: .all) ? [] : missing(from: capabilities)
    var failures: [LocationEvent] = []
    if missing.contains(.beacons) {
      failures.append(.didFailRanging(.unsupportedReports(.beacons)))
    }
    if !missing.subtracting(.beacons).isEmpty {
      failures.append(
        .didFailWithError(
          LocationError(
            .unsupported,
            "The backend does not support \(missing.subtracting(.beacons)); see its capabilities."))
      )
    }
    if let refusal, !isEmpty { failures.append(.didFailWithError(refusal)) }
    return failures
  }

  private func filtered(_ isIncluded: (Self) -> Bool) -> Self {
    Self.names.reduce(into: []) { result, service in
      if contains(service.option), isIncluded(service.option) { result.insert(service.option) }
    }
  }

  /// The services that are computed from locations.
  private static var derived: Self { [.visits, .significantLocationChanges] }
}

/// The options of a stream of events.
public struct EventOptions: Sendable, Hashable {
  /// The services that the stream starts. ``LocationServices/all`` omits services that the backend
  /// lacks; other values report them with an error event. A stream without services starts none. It
  /// reports the events of services that the manager's `start` methods started.
  public var services: LocationServices
  /// Reports locations as ``LocationEvent/didUpdateTo(_:from:)``.
  public var reportsPreviousLocation: Bool
  /// Reports the connection as ``LocationEvent/didChangeConnection(_:)``.
  public var reportsConnection: Bool
  /// The buffering while the subscriber is busy.
  public var buffering: BufferingPolicy

  /// Creates options. By default a stream starts every service of the backend and buffers the
  /// newest 1,024 events.
  public init(
    services: LocationServices = .all, reportsPreviousLocation: Bool = false,
    reportsConnection: Bool = true, buffering: BufferingPolicy = .newest(1_024)
  ) {
    self.services = services
    self.reportsPreviousLocation = reportsPreviousLocation
    self.reportsConnection = reportsConnection
    self.buffering = buffering
  }
}

/// A missing member is decoded as its default.
extension EventOptions: TabulatedValue {
  package static let standard = Self()
  package static let table: [TabulatedMember<Self>] = [
    TabulatedMember("services", \.services),
    TabulatedMember("reportsPreviousLocation", \.reportsPreviousLocation),
    TabulatedMember("reportsConnection", \.reportsConnection),
    TabulatedMember("buffering", \.buffering),
  ]
}
