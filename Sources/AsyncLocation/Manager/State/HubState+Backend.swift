/// Handles the backend's runs and events.
extension HubState {
  mutating func setRunTask(
    _ task: Task<Void, Never>, of run: RunStateMachine.RunID, _ effects: inout Effects
  ) {
    control.setTask(task, of: run, &effects)
  }

  /// Resets the state of the previous run, and returns the demand with which the run starts and the
  /// channel for later changes; nil when the run must not start.
  mutating func beginRun(
    _ run: RunStateMachine.RunID, _ effects: inout Effects
  ) -> (BackendDemand, BoundedChannel<BackendDemand>)? {
    intake.beginSession()
    fanOut.locations.resumePaused()
    applyPauses(&effects)
    setUnavailability(nil, &effects)
    feed.sourceBegins()
    return control.begin(run)
  }

  /// Handles a batch of events. Events of a run that is no longer current are discarded.
  ///
  /// - Returns: Whether the run was current when the batch arrived.
  mutating func receive(
    _ events: [BackendEvent], from run: RunStateMachine.RunID, at arrival: Arrival,
    _ effects: inout Effects
  ) -> Bool {
    let isCurrent = control.isCurrent(run)
    intake.countReceived(events.count)
    for index in events.indices {
      // Checked for every event: an earlier one in the batch may have withdrawn permission.
      guard control.isCurrent(run) else {
        intake.countDiscarded(events.count - index)
        break
      }
      receive(events[index], from: run, at: arrival, &effects)
    }
    fanOut.seal(at: arrival.instant, to: &effects.deliveries, waking: &effects.wakes)
    applyPauses(&effects)
    feed.flush(&effects.events)
    return isCurrent
  }

  private mutating func receive(
    _ event: borrowing BackendEvent, from run: RunStateMachine.RunID, at arrival: Arrival,
    _ effects: inout Effects
  ) {
    switch event {
    case .location(let location): receive(location, from: run, at: arrival, &effects)
    case .heading(let heading):
      recordDevice(heading.sourceInformation, &effects)
      guard !isReduced else { return intake.countWithheld() }
      guard intake.admits(heading, at: arrival.instant) else { return }
      if heading.sourceInformation.isPreferred {
        known.setHeading(heading)
        feed.received(heading, &effects.events)
      }
      fanOut.headings.stage(heading)
    case .satellites(let view):
      recordDevice(view.sourceInformation, &effects)
      guard !isReduced else { return intake.countWithheld() }
      intake.observe(view, at: arrival.instant)
      if view.sourceInformation.isPreferred { feed.received(view, &effects.events) }
      fanOut.satellites.stage(view)
    case .beacons(let report):
      recordDevice(report.sourceInformation, &effects)
      guard !isReduced else { return intake.countWithheld() }
      if report.sourceInformation.isPreferred { feed.received(report, &effects.events) }
      fanOut.beacons.stage(ArrivedBeacons(report: report, instant: arrival.instant))
    case .unavailable(let reason):
      fanOut.locations.flushLive(waking: &effects.wakes)
      setUnavailability(Unavailability(reason: reason, run: run), &effects)
    case .connection(let state):
      fanOut.locations.flushLive(waking: &effects.wakes)
      if state.phase == .connected, source.connection.phase != .connected {
        intake.beginSession()
      }
      connectionChanged(to: state, &effects)
    case .authorization(let status):
      // Seals the reports staged before the change, so that current subscribers receive them or
      // count them as dropped.
      fanOut.seal(at: arrival.instant, to: &effects.deliveries, waking: &effects.wakes)
      authorize(
        .source(refusal: .init(status), problem: source.connection.problem), &effects)
    }
  }

  // `@inline(never)` keeps the 232-byte value passed indirectly.
  @inline(never)
  private mutating func receive(
    _ location: borrowing Location, from run: RunStateMachine.RunID, at arrival: Arrival,
    _ effects: inout Effects
  ) {
    recordDevice(location.sourceInformation, &effects)
    let integrity = isReduced ? nil : intake.assess(location, at: arrival.instant)
    guard intake.admits(location, at: arrival.instant) else { return }
    if let integrity, integrity.isSuspect { intake.countSuspect() }
    guard isReduced else {
      return deliver(location, integrity, at: arrival, &effects)
    }
    reduce(location, from: run, at: arrival, &effects)
  }

  /// Stages a location for the streams, and passes it to the event feed and to waiting calls.
  ///
  /// - Parameter integrity: Nil for a reduced location: when a receiver is suspect depends on its
  ///   precise positions.
  mutating func deliver(
    _ location: borrowing Location, _ integrity: LocationIntegrity? = nil, at arrival: Arrival,
    _ effects: inout Effects
  ) {
    let isReduced = isReduced
    let isPreferred = location.sourceInformation.isPreferred
    // With reduced accuracy `stationary` is not reported: it would reveal when the receiver starts
    // to move.
    var isStationary = false
    if isPreferred, fanOut.locations.hasLive, !isReduced {
      isStationary = intake.isStationary(at: location, arrival.instant)
    }
    fanOut.stage(
      location, arrived: arrival, integrity, isReduced: isReduced, isStationary: isStationary,
      to: &effects.deliveries, waking: &effects.wakes)
    guard isPreferred else { return }
    if source.unavailability != nil { setUnavailability(nil, &effects) }
    fanOut.locations.copyNewest(to: &known.location)
    if !feed.isEmpty, let newest = known.location {
      let action = fanOut.locations.latestPauseAction(of: EventFeed.holder)
      // Resuming is reported before the location that shows movement.
      if action == .resume { applyPauses(&effects) }
      feed.located(newest, at: arrival.instant, action, &effects.events)
      endTimeouts(&effects)
    }
    guard !requests.isEmpty, let newest = known.location else { return }
    let answered = requests.handle(
      .located(newest, accuracyCounts: !isReduced), resuming: &effects.locations)
    if !answered.isEmpty { release(answered, &effects) }
  }

  /// True while accuracy is reduced: no precise location, heading, satellite view or beacon is
  /// delivered.
  var isReduced: Bool { authorization.machine.accuracy == .reduced }

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
      to: ConnectionState(phase, endpoint: source.connection.endpoint, problem: problem), &effects)
    guard endedByItself else { return }
    let live = fanOut.locations.endLive(waking: &effects.wakes)
    feed.sourceEnded(problem, &effects.events)
    endReports(problem, releasing: live + [EventFeed.holder, EventFeed.requestHolder], &effects)
    updateEventServices(&effects)
  }
}
