/// Whether the application is in use, and the demand, pauses and timeouts of the event feed.
struct EventServiceState: Sendable {
  /// Whether the application is in use; see ``LocationManager/setInUse(_:)``.
  var isInUse = true
  /// The feed's group in the pause table.
  var pauseKey: PauseTable.Key?
  /// The demand that is held for the feed.
  var demand: BackendDemand?
  /// Whether demand is held for a requested location.
  var isRequesting = false
  /// The tasks that wait for timeouts.
  var timeouts: [EventTimeout: Task<Void, Never>] = [:]
}

/// Streams of events, their services and their properties.
extension HubState {
  mutating func join(
    _ id: UInt64, _ channel: BoundedChannel<QueuedEvent>, _ options: EventOptions,
    at now: Duration, _ effects: inout Effects
  ) {
    guard !isClosed else { return channel.finish(waking: &effects.wakes) }
    if !options.services.isEmpty { retrySource(&effects) }
    feed.join(
      id, channel, options, authorization: policy.awaitsFirstReport ? nil : authorization.current,
      connection: source.publishedConnection, refusal: authorization.machine.refusal,
      reason: reasonForNoLocation(startsServices: !options.services.isEmpty), at: now,
      &effects.events)
    updateEventServices(requestsPermission: true, &effects)
  }

  /// The reason why there is no location, for the streams of events; nil while permission is not
  /// granted.
  ///
  /// - Parameter startsServices: Whether the source is tried again if it has failed.
  private func reasonForNoLocation(startsServices: Bool) -> LocationError? {
    let machine = authorization.machine
    guard machine.permitsDelivery else {
      return machine.status.isAuthorized ? machine.obstacle : nil
    }
    if source.connection.phase == .failed {
      return startsServices ? nil : source.connection.problem
    }
    return reasonForNoFix
  }

  mutating func leaveEvents(_ id: UInt64, _ effects: inout Effects) {
    feed.leave(id, &effects.events)
    updateEventServices(&effects)
  }

  mutating func start(
    _ services: LocationServices, at now: Duration, _ effects: inout Effects
  ) {
    guard !isClosed else { return }
    retrySource(&effects)
    feed.start(
      services, refusal: authorization.machine.refusal, at: now, &effects.events)
    updateEventServices(requestsPermission: true, &effects)
  }

  mutating func stop(_ services: LocationServices, _ effects: inout Effects) {
    feed.stop(services, &effects.events)
    updateEventServices(&effects)
  }

  mutating func set(_ properties: LocationManager.Properties, _ effects: inout Effects) {
    feed.set(properties, &effects.events)
    // Also after the manager has closed, since unread elements stay subject to permission.
    updateUse(&effects)
    guard !isClosed else { return }
    updateEventServices(&effects)
  }

  mutating func setInUse(_ isInUse: Bool, _ effects: inout Effects) {
    eventServices.isInUse = isInUse
    updateUse(&effects)
  }

  /// With background updates, the application counts as in use.
  private mutating func updateUse(_ effects: inout Effects) {
    let isInUse =
      eventServices.isInUse || feed.properties.allowsBackgroundLocationUpdates
    authorize(.use(isInUse), &effects)
  }

  /// Updates the demand and the pauses of the feed.
  ///
  /// - Parameter requestsPermission: Whether to request permission if implicit requests are on.
  mutating func updateEventServices(requestsPermission: Bool = false, _ effects: inout Effects) {
    let pauseKey = feed.pauseKey
    if pauseKey != eventServices.pauseKey {
      eventServices.pauseKey = pauseKey
      fanOut.locations.setPauseGroup(of: EventFeed.holder, to: pauseKey)
    }
    let demand = feed.demand
    if demand != eventServices.demand || (requestsPermission && demand != nil) {
      eventServices.demand = demand
      if let demand {
        hold(demand, holder: EventFeed.holder, requestsPermission: requestsPermission, &effects)
      } else {
        release([EventFeed.holder], &effects)
      }
    }
    applyPauses(&effects)
    endTimeouts(&effects)
  }

  mutating func closeEvents(_ effects: inout Effects) {
    feed.close(&effects.events)
    fanOut.locations.setPauseGroup(of: EventFeed.holder, to: nil)
    eventServices.demand = nil
    endTimeouts(&effects)
  }

  /// Requests one location, which the events report. The timeout is the default of
  /// `currentLocation`.
  mutating func requestLocation(_ effects: inout Effects) {
    guard !isClosed else { return }
    retrySource(&effects)
    guard
      let timeout = feed.requestLocation(
        refusal: authorization.machine.refusal, timeout: .seconds(60), &effects.events),
      let demand = feed.requestDemand
    else { return }
    effects.timeouts.append(timeout)
    eventServices.isRequesting = true
    self.demand(demand, holder: EventFeed.requestHolder, &effects)
  }

  /// Whether permission covers data that reveals the device's precise position.
  var permitsPrecise: Bool { authorization.machine.permitsDelivery && !isReduced }

  /// Whether an event that reveals the device's precise position may be delivered. An event that an
  /// earlier process stored has an unrestricted stamp, to which the current permission does not
  /// apply.
  func allowsPrecise(_ stamp: DeliveryStamp) -> Bool {
    stamp == .unrestricted || (permitsPrecise && fanOut.gate.admits(stamp))
  }

  /// Delivers an event of a monitor or a region.
  ///
  /// - Parameters:
  ///   - stamp: The permission under which the event occurred; unrestricted for an event that does
  ///     not reveal the device's position.
  ///   - share: With half, streams whose buffers are half full drop the event.
  mutating func report(
    _ event: LocationEvent, ofPosition stamp: DeliveryStamp, filling share: BufferShare = .all,
    _ effects: inout Effects
  ) {
    guard allowsPrecise(stamp) else { return intake.countWithheld() }
    feed.reported(event, stamp, filling: share, &effects.events)
  }

  /// Delivers an event that reveals the device's position, such as placemarks. Unlike an event of a
  /// monitor or a region, it may reveal a reduced location while accuracy is reduced.
  ///
  /// - Parameter stamp: The permission under which the event occurred. The event is withheld if
  ///   that permission was withdrawn.
  mutating func report(
    _ event: LocationEvent, _ stamp: DeliveryStamp, _ effects: inout Effects
  ) {
    guard fanOut.gate.admits(stamp) else { return intake.countWithheld() }
    feed.reported(event, stamp, &effects.events)
  }

  mutating func dismissCalibrationDisplay(_ effects: inout Effects) {
    feed.dismissCalibrationDisplay(&effects.events)
  }

  // MARK: Deferral

  mutating func deferLocations(
    untilTravelled distance: Double, timeout: Duration, _ effects: inout Effects
  ) {
    guard !isClosed else { return }
    if let timeout = feed.deferLocations(
      untilTravelled: distance, timeout: timeout, &effects.events)
    {
      effects.timeouts.append(timeout)
    }
    endTimeouts(&effects)
  }

  mutating func stopDeferring(_ effects: inout Effects) {
    feed.stopDeferring(&effects.events)
    endTimeouts(&effects)
  }

  // MARK: Timeouts

  mutating func timedOut(_ timeout: EventTimeout, _ effects: inout Effects) {
    feed.timedOut(timeout, obstacle, &effects.events)
    feed.flush(&effects.events)
    endTimeouts(&effects)
  }

  /// Stores the task that waits for a timeout, or cancels the task if the feed no longer needs the
  /// timeout.
  mutating func setTimeoutTask(
    _ task: Task<Void, Never>, for timeout: EventTimeout, _ effects: inout Effects
  ) {
    if feed.awaits(timeout) {
      eventServices.timeouts[timeout] = task
    } else {
      effects.cancelled.append(task)
    }
  }

  /// Cancels the timeouts that the feed no longer needs, and releases the demand of a request that
  /// has ended.
  mutating func endTimeouts(_ effects: inout Effects) {
    for (timeout, task) in eventServices.timeouts where !feed.awaits(timeout) {
      eventServices.timeouts[timeout] = nil
      effects.cancelled.append(task)
    }
    guard eventServices.isRequesting, feed.requestDemand == nil else { return }
    eventServices.isRequesting = false
    release([EventFeed.requestHolder], &effects)
  }
}
