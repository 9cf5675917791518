extension LocationManager {
  /// A member of a manager, as an entry in a test kit's log of the program's calls.
  ///
  /// Each case has the name of its member and is printed as that name. A property and a method with
  /// the same name are one endpoint. A member that calls other members is logged once, under the
  /// name that the program used.
  @nonexhaustive
  public enum Endpoint: String, Sendable, Hashable, CaseIterable, Codable {
    // MARK: Current state
    case accuracyAuthorization
    case authorization
    case authorizationStatus
    case heading
    case headingAvailable
    case location
    case locationServicesEnabled
    case properties
    case statistics

    // MARK: Calls
    case currentLocation
    case nextLocation
    case requestAlwaysAuthorization
    case requestTemporaryFullAccuracyAuthorization
    case requestWhenInUseAuthorization

    // MARK: Streams
    case authorizationUpdates
    case batches
    case beacons
    case connectionStates
    case events
    case headings
    case liveUpdates
    case monitoringDiagnostics
    case pauseEvents
    case placemarks
    case regionEvents
    case satellites
    case significantLocationChanges
    case trips
    case updates
    case visits

    // MARK: Starting and stopping
    case allowDeferredLocationUpdates
    case disallowDeferredLocationUpdates
    case dismissHeadingCalibrationDisplay
    case requestLocation
    case set
    case setInUse
    case shutdown
    case startMonitoringSignificantLocationChanges
    case startMonitoringVisits
    case startUpdatingHeading
    case startUpdatingLocation
    case stopMonitoringSignificantLocationChanges
    case stopMonitoringVisits
    case stopUpdatingHeading
    case stopUpdatingLocation

    // MARK: Regions and beacons
    case isMonitoringAvailable
    case isRangingAvailable
    case maximumRegionMonitoringDistance
    case monitoredRegions
    case requestState
    case significantLocationChangeMonitoringAvailable
    case startMonitoring
    case stopMonitoring

    // MARK: Objects that are created with a manager
    /// A ``Monitor`` was opened.
    case monitor
    /// A ``ServiceSession`` was created.
    case serviceSession
  }
}

extension LocationManager.Endpoint: CustomStringConvertible {
  public var description: String { rawValue }
}
