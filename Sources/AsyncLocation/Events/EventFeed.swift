/// Decides which events each stream of events receives.
///
/// One feed serves all streams, so all streams receive events in the order in which they occur.
/// Each stream receives the events of its own services and of the services that the manager
/// started.
struct EventFeed: Sendable {
  typealias ID = UInt64

  /// The holder ID of the feed's demand and of its entry in the pause table.
  static var holder: ID { .max }
  /// The holder ID of a requested location's demand, which does not pause.
  static var requestHolder: ID { .max - 1 }

  private let capabilities: BackendCapabilities
  private let gate: DeliveryGate
  private var streams: EventSubscribers
  /// The services of all streams and of the manager that the backend can provide.
  private(set) var services: LocationServices = []
  private(set) var properties = LocationManager.Properties()

  private var visits = VisitStateMachine()
  private var significantChanges = SignificantChangeStateMachine(startingAt: .zero)
  private var headings = HeadingReporter(headingFilter: LocationManager.Properties().headingFilter)
  private var calibration = CalibrationStateMachine()
  private var deferral = DeferralStateMachine()
  private var request = EventRequest()

  /// The last reported error, without its cause; nil if an equal error is to be reported again.
  private var lastFailure: LocationError?
  /// The last location that the location service reported or holds.
  private var lastLocation: Location?
  /// The services that have reported the request's best location, or a later location.
  private var servicesSinceBest: LocationServices = []

  init(_ capabilities: BackendCapabilities, _ gate: DeliveryGate) {
    (self.capabilities, self.gate) = (capabilities, gate)
    streams = EventSubscribers(gate)
  }

  var isEmpty: Bool { subscribers == 0 && services.isEmpty && requestDemand == nil }
  var subscribers: Int { streams.count }
  var longestQueue: Int { streams.longestQueue }
  /// The number of events that each stream has missed.
  var losses: [ID: UInt64] { streams.losses }

  /// The demand of the services; nil without services.
  var demand: BackendDemand? {
    guard !services.isEmpty else { return nil }
    // Visits need locations less often than the location service, significant changes still less.
    let interval: Duration =
      services.contains(.locations) || services.kinds.isDisjoint(with: .locations)
      ? .zero : services.contains(.visits) ? .seconds(5) : .seconds(30)
    return BackendDemand(
      kinds: services.kinds, desiredAccuracy: properties.desiredAccuracy, minimumInterval: interval)
  }

  /// The demand of a requested location; nil without a request.
  var requestDemand: BackendDemand? { request.demand }

  /// The feed's group in the pause table; nil without the location service.
  var pauseKey: PauseTable.Key? {
    guard services.contains(.locations) else { return nil }
    return PauseTable.Key(
      properties.activityType, pauses: properties.pausesLocationUpdatesAutomatically)
  }

  // MARK: Subscribers

  /// Adds a stream, which first receives the authorization and the connection.
  ///
  /// - Parameters:
  ///   - authorization: Nil before the policy's first report.
  ///   - refusal: The refusal of permission, if any.
  ///   - reason: The reason why there is no location, if known.
  mutating func join(
    _ id: ID, _ channel: BoundedChannel<QueuedEvent>, _ options: EventOptions,
    authorization: Authorization?, connection: ConnectionState, refusal: LocationError?,
    reason: LocationError?, at now: Duration, _ output: inout EventOutput
  ) {
    streams.setAuthorization(authorization, &output)
    let state: [LocationEvent] =
      (authorization.map { [.didChangeAuthorization($0)] } ?? []) + [
        .didChangeConnection(connection)
      ]
    let wanted = options.services.union(streams.started)
    streams.add(
      id, channel, options, receiving: state + options.services.failures(capabilities, refusal),
      last: lastReport(of: wanted), heading: wanted.contains(.headings) ? headings.last : nil,
      reason: reason, &output)
    servicesChanged(startingAt: now, &output)
  }

  /// Returns the last location that the wanted services reported, for a stream that begins now: for
  /// a parked vehicle, the next location may be hours away.
  private func lastReport(
    of wanted: LocationServices
  ) -> (location: Location, stamp: DeliveryStamp)? {
    let running = wanted.intersection(services)
    let location =
      if running.contains(.locations) {
        deferral.isActive ? nil : lastLocation
      } else if !wanted.contains(.locations), running.contains(.significantLocationChanges) {
        significantChanges.lastLocation
      } else {
        nil as Location?
      }
    return location.map { ($0, stamp(of: $0)) }
  }

  /// Removes a stream and ends its channel.
  mutating func leave(_ id: ID, _ output: inout EventOutput) {
    if streams.remove(id, &output) { servicesChanged(&output) }
  }

  /// Starts services, for every stream.
  mutating func start(
    _ new: LocationServices, refusal: LocationError?, at now: Duration, _ output: inout EventOutput
  ) {
    if new.contains(.locations), let last = lastReport(of: .locations) {
      streams.emit(last.location, toStreamsWithout: .locations, stamp: last.stamp, &output)
    }
    if new.contains(.headings), let heading = headings.last {
      streams.emit(heading, toStreamsWithout: .headings, &output)
    }
    streams.started.formUnion(new)
    for failure in new.failures(capabilities, refusal) { emit(failure, &output) }
    servicesChanged(startingAt: now, &output)
  }

  /// Stops services that the manager started. Services of streams continue. Stopping locations also
  /// ends a request.
  mutating func stop(_ old: LocationServices, _ output: inout EventOutput) {
    if old.contains(.locations) { request.cancel() }
    let remaining = streams.started.subtracting(old)
    // The deferral ends first, so that streams without services receive the held locations.
    if !streams.services(starting: remaining).contains(.locations) {
      finish(deferral.cancel(), &output)
    }
    flush(&output)
    streams.started = remaining
    servicesChanged(&output)
  }

  /// Updates the services after a change of the streams or of the manager's services: starts and
  /// resets the state of each service that begins or ends.
  ///
  /// - Parameter now: The start time of new services.
  private mutating func servicesChanged(
    startingAt now: Duration = .zero, _ output: inout EventOutput
  ) {
    let old = services
    services = streams.services(starting: streams.started).provided(by: capabilities)
    if services.contains(.visits), !old.contains(.visits) { visits = VisitStateMachine() }
    if services.contains(.significantLocationChanges), !old.contains(.significantLocationChanges) {
      significantChanges = SignificantChangeStateMachine(startingAt: now)
    }
    if !services.contains(.significantLocationChanges) { significantChanges.forget() }
    // A stream that starts a service again has not received that service's earlier reports.
    servicesSinceBest.formIntersection(services)
    if old.contains(.headings), !services.contains(.headings) {
      forgetHeadings()
      if let shows = calibration.headingsEnded() {
        emit(.shouldDisplayHeadingCalibration(shows), &output)
      }
    }
    if old.contains(.locations), !services.contains(.locations) {
      finish(deferral.cancel(), &output)
      forgetLocations()
    }
  }

  private mutating func forgetHeadings() {
    headings = HeadingReporter(headingFilter: properties.headingFilter)
  }

  private mutating func forgetLocations() {
    lastLocation = nil
    streams.forgetLocations()
  }

  /// Replaces the properties.
  mutating func set(_ new: LocationManager.Properties, _ output: inout EventOutput) {
    let old = properties
    properties = new
    if new.headingFilter != old.headingFilter || new.headingOrientation != old.headingOrientation {
      forgetHeadings()
    }
    if deferral.isActive, deferralObstacle != nil { finish(deferral.cancel(), &output) }
  }

  // MARK: Reports

  /// - Parameter action: The decision of the pause table; nil if there is none.
  mutating func located(
    _ location: Location, at instant: Duration, _ action: PauseStateMachine.Action?,
    _ output: inout EventOutput
  ) {
    lastFailure = nil
    let isAnswer = action != .reject && answersRequest(location)
    let isDelivered = action?.isDelivered ?? true
    var reporting: LocationServices = []
    // A request is answered regardless of the distance filter and of pauses.
    if services.contains(.locations), isAnswer || (isDelivered && isFarEnough(location)) {
      report(location, &output)
      reporting.insert(.locations)
    }
    if services.contains(.significantLocationChanges), !location.isContradicted {
      let last = significantChanges.lastLocation
      if significantChanges.located(location, at: instant) {
        reporting.insert(.significantLocationChanges)
        streams.emitSignificantChange(
          location, from: last, stamp: stamp(of: location), &output)
      }
    }
    if services.contains(.visits), !location.isContradicted,
      let visit = visits.located(location, at: instant)
    {
      streams.emit(.didVisit(visit), of: .visits, stamp: stamp(of: location), &output)
    }
    if isAnswer || request.best == location { servicesSinceBest = [] }
    servicesSinceBest.formUnion(reporting)
    if isAnswer { reportRequested(location, &output) }
  }

  /// Reports a location to the streams with the location service, or holds it during a deferral.
  private mutating func report(_ location: Location, _ output: inout EventOutput) {
    lastLocation = location
    if deferral.isActive {
      finish(deferral.located(location), &output)
    } else {
      streams.stage(location, stamp(of: location), &output)
    }
  }

  mutating func received(_ heading: Heading, _ output: inout EventOutput) {
    guard services.contains(.headings) else { return }
    if let shows = calibration.received(heading) {
      emit(.shouldDisplayHeadingCalibration(shows), &output)
    }
    let turned = properties.headingOrientation.applied(to: heading)
    guard headings.reports(turned) else { return }
    emitPrecise(.didUpdateHeading(turned), of: .headings, &output)
  }

  mutating func received(_ view: SatelliteView, _ output: inout EventOutput) {
    emitPrecise(.didUpdateSatellites(view), of: .satellites, &output)
  }

  mutating func received(_ report: BeaconReport, _ output: inout EventOutput) {
    emitPrecise(.didRangeBeacons(report.beacons), of: .beacons, &output)
  }

  /// Delivers an event that needs full accuracy.
  private mutating func emitPrecise(
    _ event: LocationEvent, of service: LocationServices = [], _ output: inout EventOutput
  ) {
    streams.emit(event, of: service, stamp: gate.stamp(isPrecise: true), &output)
  }

  private func isFarEnough(_ location: borrowing Location) -> Bool {
    guard properties.distanceFilter > 0, let lastLocation,
      lastLocation.isReduced == location.isReduced
    else { return true }
    if ReceiverPlace(location).mayBeSame(as: ReceiverPlace(lastLocation)) { return false }
    return location.coordinate.distance(to: lastLocation.coordinate) >= properties.distanceFilter
  }

  private func stamp(of location: borrowing Location) -> DeliveryStamp {
    gate.stamp(isPrecise: !location.isReduced)
  }

  // MARK: States

  mutating func authorizationChanged(
    to authorization: Authorization, _ output: inout EventOutput
  ) {
    streams.setAuthorization(authorization, &output)
    emit(.didChangeAuthorization(authorization), &output)
  }

  /// Reports that permission is refused, which ends a request.
  mutating func refused(_ refusal: LocationError, _ output: inout EventOutput) {
    lastFailure = nil
    if request.cancel() || !services.isEmpty { emit(.didFailWithError(refusal), &output) }
  }

  /// Reports that permission does not cover the current use. Services and a request wait.
  ///
  /// - Parameter concernsAll: True to report the obstacle even if no service is started.
  mutating func obstructed(
    by obstacle: LocationError, concernsAll: Bool, _ output: inout EventOutput
  ) {
    lastFailure = nil
    if concernsAll || !services.isEmpty { emit(.didFailWithError(obstacle), &output) }
  }

  /// A new run of the source begins: a failure is reported even if it equals the last one.
  mutating func sourceBegins() { lastFailure = nil }

  /// Reports the reason why there are no locations, unless it equals the last reported reason.
  mutating func failed(_ error: LocationError, _ output: inout EventOutput) {
    guard error != lastFailure else { return }
    lastFailure = LocationError(error.code, error.message)
    emit(.didFailWithError(error), &output)
  }

  mutating func connectionChanged(to state: ConnectionState, _ output: inout EventOutput) {
    emit(.didChangeConnection(state), &output)
  }

  mutating func reportPauses(_ pauses: [PauseEvent], _ output: inout EventOutput) {
    for event in pauses {
      emit(
        event.isPaused ? .didPauseLocationUpdates(event) : .didResumeLocationUpdates(event), &output
      )
    }
  }

  /// Delivers an event with the stamp of the permission under which it occurred.
  ///
  /// - Parameter share: See ``EventSubscribers/emit(_:of:stamp:filling:_:)``.
  mutating func reported(
    _ event: LocationEvent, _ stamp: DeliveryStamp, filling share: BufferShare = .all,
    _ output: inout EventOutput
  ) {
    streams.emit(event, stamp: stamp, filling: share, &output)
  }

  /// Withdraws unread events that permission no longer covers. Called after the gate's withdrawal
  /// and before the change is visible.
  ///
  /// - Parameter preciseOnly: True when reduced locations may still be read.
  mutating func withdraw(preciseOnly: Bool, _ output: inout EventOutput) {
    var total = streams.discardWithdrawn(&output)
    forgetLocations()
    significantChanges.forget()
    forgetHeadings()
    visits = VisitStateMachine()
    _ = request.handle(.withdrawn)
    if var end = deferral.cancel() {
      let count = end.held.count
      end.held.removeAll { !preciseOnly || !$0.isReduced }
      // A held location is not counted as delivered yet, so it is counted here as both.
      let dropped = UInt64(count - end.held.count)
      total += Tally(delivered: dropped, dropped: dropped)
      finish(end, &output)
    }
    gate.count(total)
  }

  // MARK: Deferral

  /// Begins to hold locations, or reports why they cannot be deferred.
  ///
  /// - Returns: The timeout to wait for; nil if there is none.
  mutating func deferLocations(
    untilTravelled distance: Double, timeout: Duration, _ output: inout EventOutput
  ) -> EventTimeout? {
    finish(deferral.cancel(), &output)
    if let obstacle = deferralObstacle {
      emit(.didFinishDeferredUpdates(obstacle), &output)
      return nil
    }
    flush(&output)
    return EventTimeout(
      subject: .deferral, number: deferral.begin(untilTravelled: distance), duration: timeout)
  }

  mutating func stopDeferring(_ output: inout EventOutput) { finish(deferral.cancel(), &output) }

  private var deferralObstacle: LocationError? {
    DeferralStateMachine.obstacle(services, properties)
  }

  private mutating func finish(_ end: DeferralStateMachine.End?, _ output: inout EventOutput) {
    guard let end else { return }
    for location in end.held { streams.stage(location, stamp(of: location), &output) }
    emit(.didFinishDeferredUpdates(end.error), &output)
  }

  // MARK: Calibration

  mutating func dismissCalibrationDisplay(_ output: inout EventOutput) {
    if let shows = calibration.dismissed() {
      emit(.shouldDisplayHeadingCalibration(shows), &output)
    }
  }

  // MARK: One location

  /// Requests one location, unless a request is pending or the request cannot succeed.
  ///
  /// - Returns: The timeout to wait for; nil if there is none.
  mutating func requestLocation(
    refusal: LocationError?, timeout: Duration, _ output: inout EventOutput
  ) -> EventTimeout? {
    guard requestDemand == nil else { return nil }
    if let failure = LocationServices.locations.failures(capabilities, refusal).first {
      emit(failure, &output)
      return nil
    }
    return request.begin(properties.desiredAccuracy, timeout: timeout).map {
      EventTimeout(subject: .request, number: $0, duration: timeout)
    }
  }

  private mutating func answersRequest(_ location: Location) -> Bool {
    request.handle(.located(location, accuracyCounts: !location.isReduced)) != .none
  }

  /// Reports a requested location to the streams whose services have not reported it. The location
  /// service reports it to its streams itself.
  private mutating func reportRequested(_ location: Location, _ output: inout EventOutput) {
    streams.emit(
      location, toStreamsWithout: servicesSinceBest.union(.locations), stamp: stamp(of: location),
      &output)
  }

  /// Ends the request at its timeout: reports the best location so far, or the reason why there is
  /// none.
  private mutating func endRequest(
    _ problem: LocationError?, _ output: inout EventOutput
  ) {
    switch request.handle(.deadlinePassed(problem)) {
    case .none: break
    case .fail(let error): emit(.didFailWithError(error), &output)
    case .answer(let best):
      if services.contains(.locations), !servicesSinceBest.contains(.locations) {
        report(best, &output)
      }
      reportRequested(best, &output)
    }
  }

  // MARK: Timeouts

  /// Whether the subject of a timeout is still active.
  func awaits(_ timeout: EventTimeout) -> Bool {
    switch timeout.subject {
    case .deferral: deferral.isActive(timeout.number)
    case .request: request.isPending(timeout.number)
    }
  }

  /// - Parameter problem: The reason why there is no location, if known.
  mutating func timedOut(
    _ timeout: EventTimeout, _ problem: LocationError?, _ output: inout EventOutput
  ) {
    guard awaits(timeout) else { return }
    switch timeout.subject {
    case .deferral: finish(deferral.timedOut(timeout.number), &output)
    case .request: endRequest(problem, &output)
    }
  }

  // MARK: Ending

  /// Handles the end of the source: ends the streams that started services, and stops the manager's
  /// services.
  mutating func sourceEnded(_ error: LocationError?, _ output: inout EventOutput) {
    var failure = error
    if request.cancel() {
      // The failure of a request is reported even if it equals the last reported failure.
      lastFailure = nil
      failure = failure ?? .sourceEnded
    }
    if let failure { failed(failure, &output) }
    finish(deferral.cancel(), &output)
    flush(&output)
    streams.started = []
    streams.removeStreamsWithServices(&output)
    servicesChanged(&output)
  }

  mutating func close(_ output: inout EventOutput) {
    request.cancel()
    finish(deferral.cancel(), &output)
    streams.removeAll(&output)
    (streams.started, services) = ([], [])
    forgetLocations()
  }

  /// Delivers the pending locations. Called at the end of each batch of the backend.
  mutating func flush(_ output: inout EventOutput) { streams.flush(&output) }

  private mutating func emit(_ event: LocationEvent, _ output: inout EventOutput) {
    streams.emit(event, &output)
  }
}
