/// A region of Core Location's older interface; see ``LocationManager/startMonitoring(for:)``. New
/// code uses a ``Monitor``, which also supports polygons, corridors and storage.
public enum Region: Sendable, Hashable, Codable {
  /// The area within a distance of a point.
  case circular(CircularRegion)
  /// The reception of a beacon.
  case beacon(BeaconRegion)

  /// A kind of region.
  public enum Kind: Sendable, Hashable, CaseIterable {
    /// ``Region/circular(_:)``.
    case circular
    /// ``Region/beacon(_:)``.
    case beacon
  }

  /// The name of the region, unique in its manager.
  public var identifier: String {
    switch self {
    case .circular(let region): region.identifier
    case .beacon(let region): region.identifier
    }
  }

  /// Whether ``RegionEvent/didEnter(_:)`` is delivered.
  public var notifiesOnEntry: Bool {
    switch self {
    case .circular(let region): region.notifiesOnEntry
    case .beacon(let region): region.notifiesOnEntry
    }
  }

  /// Whether ``RegionEvent/didExit(_:)`` is delivered.
  public var notifiesOnExit: Bool {
    switch self {
    case .circular(let region): region.notifiesOnExit
    case .beacon(let region): region.notifiesOnExit
    }
  }
}

/// The area within a distance of a point.
public struct CircularRegion: Sendable, Hashable, Codable {
  /// The centre.
  public var center: Coordinate
  /// Metres, above 0 and at most ``LocationManager/maximumRegionMonitoringDistance``.
  public var radius: Double
  /// The name of the region, unique in its manager.
  public var identifier: String
  /// Whether ``RegionEvent/didEnter(_:)`` is delivered.
  public var notifiesOnEntry: Bool
  /// Whether ``RegionEvent/didExit(_:)`` is delivered.
  public var notifiesOnExit: Bool

  /// Creates a region. Its radius is checked when monitoring starts.
  public init(
    center: Coordinate, radius: Double, identifier: String, notifiesOnEntry: Bool = true,
    notifiesOnExit: Bool = true
  ) {
    self.center = center
    self.radius = radius
    self.identifier = identifier
    self.notifiesOnEntry = notifiesOnEntry
    self.notifiesOnExit = notifiesOnExit
  }

  /// True when a point is in the region, on the WGS 84 ellipsoid.
  public func contains(_ coordinate: Coordinate) -> Bool {
    center.distance(to: coordinate) <= radius
  }
}

/// The reception of a beacon.
public struct BeaconRegion: Sendable, Hashable, Codable {
  /// The beacons of the region.
  public var constraint: BeaconIdentityConstraint
  /// The name of the region, unique in its manager.
  public var identifier: String
  /// Whether ``RegionEvent/didEnter(_:)`` is delivered.
  public var notifiesOnEntry: Bool
  /// Whether ``RegionEvent/didExit(_:)`` is delivered.
  public var notifiesOnExit: Bool

  /// Creates a region.
  public init(
    constraint: BeaconIdentityConstraint, identifier: String, notifiesOnEntry: Bool = true,
    notifiesOnExit: Bool = true
  ) {
    self.constraint = constraint
    self.identifier = identifier
    self.notifiesOnEntry = notifiesOnEntry
    self.notifiesOnExit = notifiesOnExit
  }
}

/// Whether the device is in a region.
public enum RegionState: String, Sendable, Hashable, Codable {
  /// Not determined.
  case unknown
  /// In the region.
  case inside
  /// Outside the region.
  case outside
}

/// An event that a manager reports about regions. Events are named after Core Location's delegate
/// methods.
@nonexhaustive
public enum RegionEvent: Sendable, Hashable {
  /// Monitoring of a region began.
  case didStartMonitoring(Region)
  /// The device entered a region.
  case didEnter(Region)
  /// The device left a region.
  case didExit(Region)
  /// The state of a region, after ``LocationManager/requestState(for:)`` and with each crossing.
  case didDetermineState(RegionState, Region)
  /// A region is not monitored: permission is missing, accuracy is reduced, or the backend cannot
  /// monitor it. Monitoring continues when the cause is removed. Also reported for all monitored
  /// regions when locations or events were discarded, because a crossing may have been missed. A
  /// buffer that is half full drops such a report: its other half is reserved for crossings.
  case monitoringDidFail(Region, LocationError)
}
