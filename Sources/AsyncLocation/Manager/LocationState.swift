public import Observation

/// An observable object with the state of a manager, for display.
///
/// ```swift
/// @MainActor final class Screen {
///   let state = LocationState()
///
///   func appear(_ manager: LocationManager) async {
///     await state.follow(manager)
///   }
/// }
/// ```
///
/// It is not `Sendable`: it belongs to the actor that creates it, and
/// ``follow(_:options:placemarks:placemarkOptions:)`` changes it on the actor that calls it.
/// Observers are notified by Observation, once for each property that changes. They never see a
/// location, a placemark or a heading with an authorization that does not allow it: when permission
/// is withdrawn or accuracy changes, all three are nil before ``authorization`` changes.
@Observable
public final class LocationState {
  /// The authorization; not determined until a manager reports it.
  public private(set) var authorization = Authorization(status: .notDetermined)
  /// The last location; nil before the first one, after a change of permission or accuracy, and
  /// while permission covers only the time in use and the application is not in use, as
  /// ``LocationManager/location`` is.
  public private(set) var location: Location?
  /// The place found for a location; nil in the cases where ``location`` is nil, and when the
  /// receiver has left that location by ``PlacemarkOptions/minimumDistance``. Found only with a
  /// geocoder in ``follow(_:options:placemarks:placemarkOptions:)``, or while the program reads
  /// ``LocationManager/placemarks(using:_:)``.
  public private(set) var placemark: Placemark?
  /// The last heading; nil in the cases where ``location`` is nil.
  public private(set) var heading: Heading?
  /// The connection of the backend to its source.
  public private(set) var connection = ConnectionState(.idle)
  /// The reason why there is no newer location; nil once a newer location arrives, and when
  /// permission is granted.
  public private(set) var error: LocationError?
  /// The reason why there is no newer place, or only a partial result; nil once a newer place is
  /// found.
  public private(set) var placemarkError: LocationError?

  /// The location of ``placemark``; nil for the placemark of a preview.
  @ObservationIgnored private var placemarkLocation: Location?
  @ObservationIgnored private var placemarkOptions = PlacemarkOptions()
  /// Why the geocoder is not used, if its terms do not permit it.
  @ObservationIgnored private var placemarkRefusal: LocationError?
  /// Whether locations arrive from the location service.
  @ObservationIgnored private var hasLocationService = false

  /// Creates a state that follows no manager yet. The values are for previews and tests.
  public init(
    authorization: Authorization = Authorization(status: .notDetermined),
    location: Location? = nil, placemark: Placemark? = nil, heading: Heading? = nil,
    connection: ConnectionState = ConnectionState(.idle), error: LocationError? = nil,
    placemarkError: LocationError? = nil
  ) {
    self.authorization = authorization
    self.location = location
    self.placemark = placemark
    self.heading = heading
    self.connection = connection
    self.error = error
    self.placemarkError = placemarkError
  }

  /// The status of ``authorization``.
  public var status: AuthorizationStatus { authorization.status }

  /// Follows a manager until its events end or the task is cancelled. The values remain afterwards.
  ///
  /// Runs on the caller's actor and suspends between events; it never polls. Follow one manager at
  /// a time.
  ///
  /// - Parameters:
  ///   - manager: The manager, which stays open until this method returns.
  ///   - options: The services to start; by default locations and headings. While the actor is
  ///     busy, the newest events are buffered.
  ///   - geocoder: Finds the ``placemark`` of the location after each movement; nil for none. A
  ///     failure sets ``placemarkError``. A geocoder that does not allow periodic use
  ///     (``Geocoder/allowsPeriodicUse``) is not called, which ``placemarkError`` reports.
  ///   - placemarkOptions: The criteria of a movement. The buffering has no effect.
  public func follow(
    _ manager: LocationManager,
    options: EventOptions = EventOptions(services: [.locations, .headings]),
    placemarks geocoder: (any Geocoder)? = nil,
    placemarkOptions: PlacemarkOptions = PlacemarkOptions()
  ) async {
    var options = options
    // A service that the backend lacks must not be reported as an error of the locations.
    options.services = manager.provided(options.services)
    let events = manager.eventReader(options)
    let gate = manager.hub.gate
    var shownStamp = gate.stamp(isPrecise: true)
    let refusal = geocoder.flatMap(LocationError.followingUnsupported)
    (placemarkRefusal, placemarkError) = (refusal, refusal ?? placemarkError)
    self.placemarkOptions = placemarkOptions
    hasLocationService = options.services.contains(.locations)
    let permittedGeocoder = refusal == nil ? geocoder : nil
    let placemarkUpdates = permittedGeocoder.map {
      manager.lifetime.livePlacemarks(using: $0, placemarkOptions)
    }
    while let (event, stamp) = await events.next() {
      // The events of a withdrawal and of a later grant may have been evicted.
      if !gate.admits(shownStamp) {
        forgetPositions()
        shownStamp = gate.stamp(isPrecise: true)
      }
      // Permission may have been withdrawn since the event was read.
      guard gate.admits(stamp) else { continue }
      // The manager may have no position any more: keep only those that it still has.
      if case .didFailWithError = event { forgetPositions(but: manager.hub.known) }
      apply(event)
    }
    placemarkUpdates?.leave()
  }

  private func apply(_ event: LocationEvent) {
    switch event {
    case .didChangeAuthorization(let new): change(to: new)
    case .didUpdateLocations(let locations):
      if let last = locations.last { show(last) }
    case .didUpdateTo(let new, from: _): show(new)
    case .didUpdateHeading(let new): heading = new
    case .didFailWithError(let new): error = new
    case .didChangeConnection(let new): connection = new
    case .didUpdatePlacemarks(let update): show(update)
    case .didPauseLocationUpdates, .didResumeLocationUpdates, .didFinishDeferredUpdates, .didVisit,
      .didStartMonitoring, .didEnterRegion, .didExitRegion, .didDetermineState,
      .monitoringDidFail, .didRangeBeacons, .didFailRanging, .shouldDisplayHeadingCalibration,
      .didUpdateSatellites, .didChangeCondition:
      break
    }
  }

  private func show(_ new: Location) {
    location = new
    if error != nil { error = nil }
    if let place = placemarkLocation, hasLeft(place, for: new) { forgetPlacemark() }
  }

  private func show(_ update: PlacemarkUpdate) {
    if placemarkError != update.error { placemarkError = update.error }
    // Without the location service, the update counts as a newer location.
    if !hasLocationService, error != nil { error = nil }
    guard let new = update.placemark else {
      let hasMoved = placemarkLocation.map {
        placemarkOptions.isMovement(from: $0, to: update.location)
      }
      if hasMoved == true { forgetPlacemark() }
      return
    }
    guard location.map({ hasLeft(update.location, for: $0) }) != true else { return }
    (placemark, placemarkLocation) = (new, update.location)
  }

  /// Whether the receiver has left a location whose place is known. Without a minimum distance,
  /// each location is looked up, and the last place remains until the answer.
  private func hasLeft(_ place: Location, for location: Location) -> Bool {
    placemarkOptions.minimumDistance > 0
      && placemarkOptions.isMovement(from: place, to: location)
  }

  private func forgetPlacemark() {
    if placemark != nil { placemark = nil }
    placemarkLocation = nil
  }

  private func change(to new: Authorization) {
    guard new != authorization else { return }
    if !new.isAuthorized || new.accuracy != authorization.accuracy { forgetPositions() }
    if new.isAuthorized, error != nil { error = nil }
    authorization = new
  }

  /// Clears the location and the heading, each unless the manager still has one.
  ///
  /// - Parameter known: The manager's last location and heading.
  private func forgetPositions(but known: (location: Location?, heading: Heading?) = (nil, nil)) {
    if known.location == nil {
      if location != nil { location = nil }
      forgetPlacemark()
      if placemarkError != placemarkRefusal { placemarkError = placemarkRefusal }
    }
    if known.heading == nil, heading != nil { heading = nil }
  }
}
