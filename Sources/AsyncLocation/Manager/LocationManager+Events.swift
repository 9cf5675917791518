/// All events in one order, and Core Location's methods that start and stop services.
///
/// ```swift
/// for await event in manager.events {
///   switch event {
///   case .didChangeAuthorization(let authorization): show(authorization)
///   case .didUpdateLocations(let locations): show(locations)
///   case .didFailWithError(let error): show(error)
///   default: break
///   }
/// }
/// ```
extension LocationManager {
  /// Every event, in order of occurrence, from every service of the backend.
  ///
  /// Equivalent to ``events(_:)`` with default options: the stream starts locations, headings,
  /// satellite views, beacons and visits, if the backend supports them.
  public nonisolated var events: AsyncStream<LocationEvent> { events(EventOptions()) }

  /// Every event, in order of occurrence.
  ///
  /// The stream begins with the authorization, the connection, the last location and the last
  /// heading that its services reported to other streams, and the reason, if any, why no location
  /// followed. It contains the events of the services in its options and of services that
  /// ``startUpdatingLocation()`` and similar methods started, all changes of authorization,
  /// connection and pauses, errors, and the events of regions and monitors. All streams have the
  /// same order. No event precedes the authorization under which it occurred, even when the buffer
  /// was full. The events of regions and monitors, which occur outside the backend's thread, follow
  /// the location that caused them.
  ///
  /// Services request permission as ``updates`` does, and the stream continues when permission is
  /// refused; locations arrive when permission is granted. Unread locations, headings, satellite
  /// views, beacons, visits and states of regions and conditions are discarded when permission is
  /// withdrawn or accuracy is reduced. The newest events are buffered, up to
  /// ``EventOptions/buffering``.
  ///
  /// The stream never throws. A stream with services ends when the source ends; if the source
  /// failed, ``LocationEvent/didFailWithError(_:)`` precedes the end. Every stream ends at
  /// ``shutdown()``; a stream that is created later ends at once.
  public nonisolated func events(_ options: EventOptions) -> AsyncStream<LocationEvent> {
    eventReader(options).stream()
  }

  /// The events of ``events(_:)``, for a reader that checks permission itself.
  nonisolated func eventReader(_ options: EventOptions) -> EventReader {
    let channel = BoundedChannel<QueuedEvent>(options.buffering, gate: hub.gate)
    let now = hub.timeline.now()
    let subscription = subscribe(channel, .events, as: .events) {
      $1.join($0, channel, options, at: now, &$2)
    }
    return EventReader(subscription, hub.gate)
  }

  /// Returns the given services without those that the backend cannot provide.
  nonisolated func provided(_ services: LocationServices) -> LocationServices {
    services.provided(by: hub.capabilities)
  }

  // MARK: Services

  /// Starts locations for ``events``, until ``stopUpdatingLocation()``. A stream with
  /// ``LocationServices/locations`` does not need this call. A second call does nothing.
  ///
  /// A started service is demand, as a stream is: it requests permission and runs the backend. The
  /// service stops when the source ends, at ``shutdown()``, and when the manager and its streams
  /// are released.
  public nonisolated func startUpdatingLocation() { start(.locations, as: .startUpdatingLocation) }

  /// Stops locations that ``startUpdatingLocation()`` started, and ends a request of
  /// ``requestLocation()``; the locations of streams continue.
  public nonisolated func stopUpdatingLocation() { stop(.locations, as: .stopUpdatingLocation) }

  /// Requests one location, which every stream of ``events`` receives as
  /// ``LocationEvent/didUpdateLocations(_:)``, once.
  ///
  /// The request uses the running backend, or runs the backend until the request is answered, and
  /// requests permission as ``updates`` does. A stream with the location service receives the
  /// location only from the service, regardless of its distance filter and pauses. With
  /// ``allowDeferredLocationUpdates(untilTraveled:timeout:)`` such a stream receives it when the
  /// deferral ends.
  ///
  /// The request waits at most 60 seconds for a new location with the
  /// ``Properties/desiredAccuracy``. Then the most accurate location so far is delivered, or
  /// ``LocationEvent/didFailWithError(_:)`` with ``LocationError/Code/timedOut``, whose cause is
  /// the reason. A refusal of permission and the end of the source fail the request at once.
  ///
  /// While a request is pending, a second call does nothing. ``stopUpdatingLocation()`` and
  /// ``shutdown()`` end the request without an event. ``currentLocation()`` returns the location to
  /// its caller instead.
  public nonisolated func requestLocation() {
    guard hub.use(.requestLocation) == nil else { return }
    hub.decide { $0.requestLocation(&$1) }
    hub.observer?.didOpen(.requestLocation)
  }

  /// Starts headings for ``events``, as ``startUpdatingLocation()`` does for locations.
  public nonisolated func startUpdatingHeading() { start(.headings, as: .startUpdatingHeading) }

  /// Stops headings that ``startUpdatingHeading()`` started.
  public nonisolated func stopUpdatingHeading() { stop(.headings, as: .stopUpdatingHeading) }

  /// Starts visits for ``events``, as ``startUpdatingLocation()`` does for locations.
  public nonisolated func startMonitoringVisits() { start(.visits, as: .startMonitoringVisits) }

  /// Stops visits that ``startMonitoringVisits()`` started.
  public nonisolated func stopMonitoringVisits() { stop(.visits, as: .stopMonitoringVisits) }

  /// Starts significant changes for ``events``, as ``startUpdatingLocation()`` does for locations.
  public nonisolated func startMonitoringSignificantLocationChanges() {
    start(.significantLocationChanges, as: .startMonitoringSignificantLocationChanges)
  }

  /// Stops significant changes that ``startMonitoringSignificantLocationChanges()`` started.
  public nonisolated func stopMonitoringSignificantLocationChanges() {
    stop(.significantLocationChanges, as: .stopMonitoringSignificantLocationChanges)
  }

  private nonisolated func start(_ services: LocationServices, as endpoint: Endpoint) {
    guard hub.use(endpoint) == nil else { return }
    hub.decide { $0.start(services, at: hub.timeline.now(), &$1) }
    hub.observer?.didOpen(endpoint)
  }

  private nonisolated func stop(_ services: LocationServices, as endpoint: Endpoint) {
    guard hub.use(endpoint) == nil else { return }
    hub.decide { $0.stop(services, &$1) }
  }

  // MARK: Properties

  /// The properties of the services that produce ``events``.
  public nonisolated var properties: Properties {
    get async {
      hub.use(.properties)
      return hub.decide { state, _ in state.feed.properties }
    }
  }

  /// Replaces the properties in one step. The receiver does not stop: the backend receives the new
  /// demand.
  public func set(_ properties: Properties) {
    guard hub.use(.set) == nil else { return }
    hub.decide { $0.set(properties, &$1) }
  }

  /// Changes some properties in one step. Concurrent calls are applied one after the other.
  ///
  /// - Parameter change: Changes the properties, which are then set together. Called on the
  ///   caller's actor, and called again if the properties were set meanwhile.
  public nonisolated func set(_ change: (inout Properties) -> Void) async {
    guard hub.use(.set) == nil else { return }
    var isSet = false
    while !isSet {
      let before = hub.decide { state, _ in state.feed.properties }
      var properties = before
      change(&properties)
      isSet = hub.decide { [properties] state, effects in
        guard state.feed.properties == before else { return false }
        state.set(properties, &effects)
        return true
      }
    }
  }

  /// Whether the backend produces headings.
  public nonisolated var headingAvailable: Bool {
    hub.use(.headingAvailable)
    return hub.capabilities.contains(.headings)
  }

  /// The authorization's status; see ``authorization()``.
  public nonisolated var authorizationStatus: AuthorizationStatus {
    get async {
      hub.use(.authorizationStatus)
      return await hub.authorization().status
    }
  }

  /// The authorization's accuracy; see ``authorization()``.
  public nonisolated var accuracyAuthorization: AccuracyAuthorization {
    get async {
      hub.use(.accuracyAuthorization)
      return await hub.authorization().accuracy
    }
  }

  /// Whether location services are enabled for all clients; see ``authorization()``.
  public nonisolated var locationServicesEnabled: Bool {
    get async {
      hub.use(.locationServicesEnabled)
      return await hub.authorization().locationServicesEnabled
    }
  }

  // MARK: Calibration and deferral

  /// Records that the user dismissed the calibration display. If
  /// ``LocationEvent/shouldDisplayHeadingCalibration(_:)`` requested the display, an event with
  /// false follows. The display is requested again only after headings have been accurate.
  public nonisolated func dismissHeadingCalibrationDisplay() {
    guard hub.use(.dismissHeadingCalibrationDisplay) == nil else { return }
    hub.decide { $0.dismissCalibrationDisplay(&$1) }
  }

  /// Holds the locations of ``events`` back until the receiver has travelled a distance or a time
  /// has passed, then delivers them together, followed by
  /// ``LocationEvent/didFinishDeferredUpdates(_:)``. A program that only records then wakes rarely.
  ///
  /// The deferral ends when 1,024 locations are held. It also ends, with
  /// ``LocationError/Code/deferredCanceled``, when locations stop, when the properties no longer
  /// allow a deferral, with another call, with `disallowDeferredLocationUpdates()`, and when
  /// permission is withdrawn or accuracy is reduced, which discards the held locations. Without the
  /// location service, with a distance filter, or with a ``Properties/desiredAccuracy`` other than
  /// the best, the deferral does not begin, and the event contains the reason. Other streams are
  /// not deferred.
  ///
  /// - Parameters:
  ///   - distance: Metres along the path of the locations; infinite for no limit.
  ///   - timeout: The maximum time, on the manager's clock.
  public nonisolated func allowDeferredLocationUpdates(
    untilTraveled distance: Double, timeout: Duration
  ) {
    guard hub.use(.allowDeferredLocationUpdates) == nil else { return }
    hub.decide { $0.deferLocations(untilTravelled: distance, timeout: timeout, &$1) }
  }

  /// Ends the deferral and delivers the held locations.
  public nonisolated func disallowDeferredLocationUpdates() {
    guard hub.use(.disallowDeferredLocationUpdates) == nil else { return }
    hub.decide { $0.stopDeferring(&$1) }
  }
}
