/// An event that a manager reports, after the methods of Core Location's delegate; the element of
/// ``LocationManager/events``.
///
/// A case with the name of a `CLLocationManagerDelegate` method has the meaning of that method.
/// Core Location has no delegate methods for the other cases.
@nonexhaustive
public enum LocationEvent: Sendable, Hashable {
  /// The permission, its accuracy or the location services changed. Also the first event of a
  /// stream, with the current authorization.
  case didChangeAuthorization(Authorization)
  /// New locations, oldest first, at least one.
  case didUpdateLocations([Location])
  /// A new location and the previous location of its service, nil for the first. Replaces
  /// ``didUpdateLocations(_:)`` in streams with ``EventOptions/reportsPreviousLocation``.
  indirect case didUpdateTo(Location, from: Location?)
  /// A new heading, adapted to ``LocationManager/Properties/headingOrientation``.
  case didUpdateHeading(Heading)
  /// The reason why there are no locations: permission is refused or covers only the time in use,
  /// the receiver has no fix, or the source failed. Also reported when the backend does not support
  /// a service. An equal reason is not repeated until a location, another reason or a new run of
  /// the source. Locations follow when the cause is removed. ``LocationError/Code/timedOut`` ends a
  /// ``LocationManager/requestLocation()``.
  case didFailWithError(LocationError)
  /// Locations pause because the receiver is stationary.
  case didPauseLocationUpdates(PauseEvent)
  /// Locations resume because the receiver moves.
  case didResumeLocationUpdates(PauseEvent)
  /// The deferral of locations ended, after the held locations were delivered; see
  /// ``LocationManager/allowDeferredLocationUpdates(untilTraveled:timeout:)``. Nil when the
  /// distance, the time or the maximum number of held locations was reached.
  case didFinishDeferredUpdates(LocationError?)
  /// A visit began or ended.
  case didVisit(Visit)
  /// Monitoring of a region began.
  case didStartMonitoring(Region)
  /// The device entered a region.
  case didEnterRegion(Region)
  /// The device left a region.
  case didExitRegion(Region)
  /// The state of a region, on request and with each crossing.
  case didDetermineState(RegionState, for: Region)
  /// A region is not monitored; see ``RegionEvent/monitoringDidFail(_:_:)``.
  case monitoringDidFail(Region, LocationError)
  /// The beacons that are currently received. Filter them with
  /// ``BeaconIdentityConstraint/matches(_:)``.
  case didRangeBeacons([Beacon])
  /// Beacons were requested, but the backend cannot range beacons.
  case didFailRanging(LocationError)
  /// Whether the program should ask the user to calibrate the compass: true when the accuracy of
  /// headings is worse than 30 degrees; false when it is better than 20 degrees again, when
  /// headings end, and after ``LocationManager/dismissHeadingCalibrationDisplay()``.
  case shouldDisplayHeadingCalibration(Bool)
  /// A new satellite view.
  case didUpdateSatellites(SatelliteView)
  /// The connection of the backend to its source changed. Also reported when a stream begins.
  /// Omitted if ``EventOptions/reportsConnection`` is false.
  case didChangeConnection(ConnectionState)
  /// The state of a condition changed, in the monitor of this name. The event is also delivered by
  /// ``Monitor/events``, where it is stored until it is handled. Here, an event whose state is not
  /// determined has an unknown previous state, because the previous state may date from before a
  /// withdrawal of permission.
  case didChangeCondition(Monitor.Event, monitor: String)
  /// The places at a location were found or could not be found, for a stream of
  /// ``LocationManager/placemarks(using:_:)`` or a ``LocationState`` with a geocoder.
  indirect case didUpdatePlacemarks(PlacemarkUpdate)
}
