/// Everything that a manager knows and decides. The hub guards it and carries out its ``Effects``.
struct HubState: Sendable {
  private let capabilities: BackendCapabilities
  private let asksByItself: Bool

  private var fanOut = FanOut()
  private var authorization = AuthorizationDesk()
  private var requests = LocationDesk()
  private var control = RunControl()
  private var gate = FreshnessGate()
  private var connection = ConnectionState(.idle)
  private var lastLocation: Location?
  private var lastHeading: Heading?
  private var received: UInt64 = 0
  private var discarded: UInt64 = 0
  private var stale: UInt64 = 0
  private var isClosed = false

  init(capabilities: BackendCapabilities, asksByItself: Bool) {
    self.capabilities = capabilities
    self.asksByItself = asksByItself
  }

  // MARK: What is known

  var currentAuthorization: Authorization { authorization.current }
  var location: Location? { lastLocation }
  var heading: Heading? { lastHeading }

  var statistics: LocationManager.Statistics {
    LocationManager.Statistics(
      eventsReceived: received, eventsDiscarded: discarded, locationsStale: stale,
      elementsDelivered: fanOut.tally.delivered, elementsDropped: fanOut.tally.dropped,
      subscribers: fanOut.subscribers, backendRuns: control.runs)
  }

  // MARK: Streams

  mutating func join(
    _ id: UInt64, _ channel: Channel<Location>, _ options: UpdateOptions, _ effects: inout Effects
  ) {
    guard admit(channel, .locations, &effects) else { return }
    var filter = UpdateFilter(options)
    if options.maximumAge > .zero, let lastLocation, let age = lastLocation.age,
      age <= options.maximumAge, let instant = lastLocation.arrival?.instant,
      filter.admits(lastLocation, at: instant)
    {
      fanOut.tell(lastLocation, channel, waking: &effects.wakes)
    }
    fanOut.join(id, channel, filter)
    demand(options.demand, holder: id, &effects)
  }

  mutating func join(
    _ id: UInt64, _ channel: Channel<Heading>, _ options: HeadingOptions,
    _ effects: inout Effects
  ) {
    guard admit(channel, .headings, &effects) else { return }
    fanOut.join(id, channel, HeadingFilter(options))
    demand(options.demand, holder: id, &effects)
  }

  mutating func join(
    _ id: UInt64, _ channel: Channel<SatelliteView>, _ effects: inout Effects
  ) {
    guard admit(channel, .satellites, &effects) else { return }
    fanOut.join(id, channel)
    demand(BackendDemand(kinds: .satellites), holder: id, &effects)
  }

  mutating func join(
    _ id: UInt64, _ channel: Channel<LocationUpdate>, _ effects: inout Effects
  ) {
    guard !isClosed else { return channel.finish(waking: &effects.wakes) }
    fanOut.join(id, channel)
    demand(BackendDemand(kinds: .locations), holder: id, &effects)
    fanOut.tell(diagnostics, waking: &effects.wakes)
  }

  mutating func join(
    _ id: UInt64, _ channel: Channel<ConnectionState>, _ effects: inout Effects
  ) {
    guard !isClosed else { return channel.finish(waking: &effects.wakes) }
    fanOut.tell(connection, channel, waking: &effects.wakes)
    fanOut.join(id, channel)
  }

  mutating func join(
    _ id: UInt64, _ channel: Channel<Authorization>, _ effects: inout Effects
  ) {
    guard !isClosed else { return channel.finish(waking: &effects.wakes) }
    fanOut.tell(authorization.current, channel, waking: &effects.wakes)
    fanOut.join(id, channel)
  }

  mutating func leave(_ id: UInt64, _ stream: FanOut.Stream, _ effects: inout Effects) {
    fanOut.leave(id, stream, waking: &effects.wakes)
    control.release([id], &effects)
  }

  /// True when a new stream of reports may begin; else it is ended at once.
  private func admit<Element>(
    _ channel: Channel<Element>, _ kind: BackendCapabilities, _ effects: inout Effects
  ) -> Bool {
    if isClosed {
      channel.finish(waking: &effects.wakes)
    } else if let refusal = authorization.current.status.refusal {
      channel.finish(refusal, waking: &effects.wakes)
    } else if !capabilities.isSuperset(of: kind) {
      channel.finish(.unsupportedReports, waking: &effects.wakes)
    } else {
      return true
    }
    return false
  }

  /// Somebody wants reports: asks for permission when nobody did, and has the backend run.
  private mutating func demand(
    _ demand: BackendDemand, holder: UInt64, _ effects: inout Effects
  ) {
    if asksByItself { authorize(.wanted, &effects) }
    control.hold(demand, holder: holder, &effects)
  }

  // MARK: Permission

  mutating func authorize(
    _ event: AuthorizationStateMachine.Event, _ effects: inout Effects
  ) {
    let before = authorization.current
    authorization.handle(event, &effects)
    authorizationChanged(from: before, &effects)
  }

  mutating func openAuthorization(
    _ id: UInt64, _ request: AuthorizationRequest, _ effects: inout Effects
  ) {
    let before = authorization.current
    authorization.open(id, request, &effects)
    authorizationChanged(from: before, &effects)
  }

  mutating func waitForAuthorization(
    _ id: UInt64, _ caller: PendingCall<Authorization>.Caller
  ) -> PendingCall<Authorization>.Resumption? {
    authorization.wait(id, caller)
  }

  mutating func cancelAuthorization(_ id: UInt64, _ effects: inout Effects) {
    authorization.cancel(id, &effects)
  }

  mutating func keepObserver(_ task: Task<Void, Never>, _ effects: inout Effects) {
    authorization.keepObserver(task, &effects)
  }

  mutating func keep(
    _ task: Task<Void, Never>, for question: Question, _ effects: inout Effects
  ) {
    authorization.keep(task, for: question, &effects)
  }

  private mutating func authorizationChanged(
    from before: Authorization, _ effects: inout Effects
  ) {
    guard !isClosed else { return }
    let current = authorization.current
    if current != before {
      fanOut.publish(current, waking: &effects.wakes)
      if !current.isAuthorized { (lastLocation, lastHeading) = (nil, nil) }
      if let refusal = current.status.refusal { endReports(refusal, &effects) }
      control.permit(current.isAuthorized, &effects)
    }
    fanOut.tell(diagnostics, waking: &effects.wakes)
  }

  /// Why there is no location, as far as anybody can tell.
  private var diagnostics: LocationUpdate.Diagnostics {
    if authorization.isRequestInProgress { return .authorizationRequestInProgress }
    switch authorization.current.status {
    case .notDetermined: return .authorizationRequired
    case .denied: return .authorizationDenied
    case .restricted: return .authorizationRestricted
    case .authorizedWhenInUse, .authorizedAlways: break
    }
    switch connection.phase {
    case .waiting, .failed: return .locationUnavailable
    case .idle, .connecting, .connected: return []
    }
  }

  // MARK: One location

  /// Opens a request for one location, which may be answered at once.
  ///
  /// - Parameter maximumAge: How old a known location may be to serve; nil for a new one, or, when
  ///   there is no time to wait, for any that is known.
  mutating func openLocation(
    _ id: UInt64, accuracy: Accuracy, maximumAge: Duration?, timeout: Duration,
    _ effects: inout Effects
  ) {
    let known = lastLocation.flatMap { location -> Location? in
      guard let maximumAge else { return timeout == .zero ? location : nil }
      return (location.age ?? .zero) <= maximumAge && maximumAge > .zero ? location : nil
    }
    requests.open(
      id, OneShotStateMachine(accuracy: accuracy, timeout: timeout, best: known))
    if isClosed {
      answer(id, .ended(.managerShutDown), &effects)
    } else if let refusal = authorization.current.status.refusal {
      answer(id, .ended(refusal), &effects)
    } else if let known, accuracy.isMet(by: known) {
      answer(id, .located(known), &effects)
    } else if timeout == .zero {
      answer(id, .deadlinePassed(connection.problem), &effects)
    } else {
      demand(BackendDemand(kinds: .locations, desiredAccuracy: accuracy), holder: id, &effects)
    }
  }

  mutating func waitForLocation(
    _ id: UInt64, _ caller: PendingCall<Location>.Caller
  ) -> PendingCall<Location>.Resumption? {
    requests.wait(id, caller)
  }

  mutating func cancelLocation(_ id: UInt64, _ effects: inout Effects) {
    if requests.cancel(id, &effects) { control.release([id], &effects) }
  }

  mutating func deadlinePassed(_ id: UInt64, _ effects: inout Effects) {
    answer(id, .deadlinePassed(connection.problem), &effects)
  }

  private mutating func answer(
    _ id: UInt64, _ event: OneShotStateMachine.Event, _ effects: inout Effects
  ) {
    if requests.handle(id, event, &effects) { control.release([id], &effects) }
  }

  // MARK: The backend

  mutating func keep(
    _ task: Task<Void, Never>, of run: RunStateMachine.RunID, _ effects: inout Effects
  ) {
    control.keep(task, of: run, &effects)
  }

  mutating func beginRun(
    _ run: RunStateMachine.RunID
  ) -> (BackendDemand, Channel<BackendDemand>)? {
    gate.beginSession()
    return control.begin(run)
  }

  mutating func receive(
    _ events: [BackendEvent], from run: RunStateMachine.RunID, at arrival: Arrival,
    _ effects: inout Effects
  ) {
    received += UInt64(events.count)
    for (index, event) in events.enumerated() {
      // Looked at anew for every event: one of them may take permission away.
      guard control.isCurrent(run) else {
        discarded += UInt64(events.count - index)
        break
      }
      receive(event, at: arrival, &effects)
    }
    fanOut.flush(at: arrival.instant, waking: &effects.wakes)
  }

  private mutating func receive(
    _ event: BackendEvent, at arrival: Arrival, _ effects: inout Effects
  ) {
    switch event {
    case .location(var location):
      guard gate.admits(location.timestamp, from: location.sourceInformation?.device) else {
        stale += 1
        return
      }
      location.arrival = arrival
      lastLocation = location
      fanOut.stage(location)
      let answered = requests.handle(.located(location), &effects)
      if !answered.isEmpty { control.release(answered, &effects) }
    case .heading(let heading):
      lastHeading = heading
      fanOut.stage(heading)
    case .satellites(let view):
      fanOut.stage(view)
    case .unavailable:
      fanOut.flush(at: arrival.instant, waking: &effects.wakes)
      fanOut.tell(.locationUnavailable, waking: &effects.wakes)
    case .connection(let state):
      fanOut.flush(at: arrival.instant, waking: &effects.wakes)
      if state.phase == .connected, connection.phase != .connected { gate.beginSession() }
      connectionChanged(to: state, &effects)
    case .authorization(let status):
      fanOut.flush(at: arrival.instant, waking: &effects.wakes)
      authorize(.changed(status), &effects)
    }
  }

  private mutating func connectionChanged(
    to state: ConnectionState, _ effects: inout Effects
  ) {
    guard state != connection else { return }
    connection = state
    fanOut.publish(state, waking: &effects.wakes)
    fanOut.tell(diagnostics, waking: &effects.wakes)
  }

  mutating func runEnded(
    _ run: RunStateMachine.RunID, _ outcome: Result<Void, any Error>, _ effects: inout Effects
  ) {
    let endedByItself = control.ended(run, &effects)
    var problem: LocationError?
    if endedByItself, case .failure(let error) = outcome {
      problem =
        error as? LocationError
        ?? LocationError(.backendUnavailable, "The backend failed: \(error).", cause: error)
    }
    let phase = problem == nil ? ConnectionState.Phase.idle : .failed
    connectionChanged(
      to: ConnectionState(phase, endpoint: connection.endpoint, problem: problem), &effects)
    guard endedByItself else { return }
    endReports(problem, &effects)
    control.release(fanOut.endLive(waking: &effects.wakes), &effects)
  }

  // MARK: The end

  private mutating func endReports(_ error: LocationError?, _ effects: inout Effects) {
    let streams = fanOut.endReports(error, waking: &effects.wakes)
    let calls = requests.handle(.ended(error ?? .sourceEnded), &effects)
    control.release(streams + calls, &effects)
  }

  mutating func close(_ effects: inout Effects) {
    guard !isClosed else { return }
    isClosed = true
    authorization.close(&effects)
    let streams = fanOut.endReports(nil, waking: &effects.wakes)
    let calls = requests.handle(.ended(.managerShutDown), &effects)
    let live = fanOut.endLive(waking: &effects.wakes)
    fanOut.endStates(waking: &effects.wakes)
    control.permit(false, &effects)
    control.release(streams + calls + live, &effects)
    (lastLocation, lastHeading) = (nil, nil)
  }

  mutating func waitUntilIdle(_ waiter: CheckedContinuation<Void, Never>) -> Bool {
    control.waitUntilIdle(waiter)
  }
}

extension AuthorizationStatus {
  /// The error that ends a stream under this status.
  fileprivate var refusal: LocationError? {
    switch self {
    case .denied:
      LocationError(.denied, "Permission for locations is denied; see the authorization policy.")
    case .restricted:
      LocationError(
        .restricted, "Permission for locations is restricted and cannot be granted here.")
    case .notDetermined, .authorizedWhenInUse, .authorizedAlways:
      nil
    }
  }
}

extension LocationError {
  fileprivate static var unsupportedReports: Self {
    Self(.unsupported, "The backend does not make reports of this kind; see its capabilities.")
  }

  fileprivate static var sourceEnded: Self {
    Self(.locationUnknown, "The source of positions ended before it gave an acceptable location.")
  }
}
