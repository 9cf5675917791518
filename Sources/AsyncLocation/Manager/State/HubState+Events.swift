/// What follows from the services of the streams of events.
struct EventServiceState: Sendable {
  /// What the application said about its use; see ``LocationManager/setInUse(_:)``.
  var isInUse = true
  /// The feed's group in the pause table.
  var pauseKey: PauseTable.Key?
  /// The demand that is held for the feed.
  var demand: BackendDemand?
  /// Waits for the timeout of the deferral.
  var deferralTask: Task<Void, Never>?
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
      connection: source.publishedConnection, refusal: authorization.machine.refusal, at: now,
      &effects.events)
    updateEventServices(asks: true, &effects)
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
    updateEventServices(asks: true, &effects)
  }

  mutating func stop(_ services: LocationServices, _ effects: inout Effects) {
    feed.stop(services, &effects.events)
    updateEventServices(&effects)
  }

  mutating func set(_ properties: LocationManager.Properties, _ effects: inout Effects) {
    guard !isClosed else { return }
    feed.set(properties, &effects.events)
    updateUse(&effects)
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
  /// - Parameter asks: Whether to ask for permission if implicit requests are on.
  mutating func updateEventServices(asks: Bool = false, _ effects: inout Effects) {
    let pauseKey = feed.pauseKey
    if pauseKey != eventServices.pauseKey {
      eventServices.pauseKey = pauseKey
      fanOut.setPauseGroup(of: EventFeed.holder, to: pauseKey)
    }
    let demand = feed.demand
    if demand != eventServices.demand || (asks && demand != nil) {
      eventServices.demand = demand
      if let demand {
        hold(demand, holder: EventFeed.holder, asks: asks, &effects)
      } else {
        release([EventFeed.holder], &effects)
      }
    }
    applyPauses(&effects)
    keepDeferral(&effects)
  }

  mutating func closeEvents(_ effects: inout Effects) {
    feed.close(&effects.events)
    fanOut.setPauseGroup(of: EventFeed.holder, to: nil)
    eventServices.demand = nil
    keepDeferral(&effects)
  }

  /// Whether permission covers what tells exactly where the device is.
  var permitsPrecise: Bool { authorization.machine.permitsDelivery && !isReduced }

  /// Whether an event that tells exactly where the device is may be delivered. The stamp of what an
  /// earlier process stored says nothing about the present permission.
  func allowsPrecise(_ stamp: DeliveryStamp) -> Bool {
    stamp == .unrestricted || (permitsPrecise && fanOut.gate.admits(stamp))
  }

  /// Delivers an event of a monitor or a region.
  ///
  /// - Parameter stamp: The permission under which it was made; unrestricted for an event that does
  ///   not tell where the device is.
  mutating func report(
    _ event: LocationEvent, ofPosition stamp: DeliveryStamp, _ effects: inout Effects
  ) {
    guard allowsPrecise(stamp) else { return intake.countWithheld() }
    feed.reported(event, stamp, &effects.events)
  }

  /// Delivers an event that tells where the device is.
  ///
  /// - Parameter stamp: The permission under which it was made. The event is withheld if that was
  ///   withdrawn.
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
    effects.deferral = feed.deferLocations(
      untilTravelled: distance, timeout: timeout, &effects.events)
    cancelDeferralTask(&effects)
  }

  mutating func stopDeferring(_ effects: inout Effects) {
    feed.stopDeferring(&effects.events)
    keepDeferral(&effects)
  }

  mutating func timedOut(_ timeout: DeferralTimeout, _ effects: inout Effects) {
    feed.deferralTimedOut(timeout.number, &effects.events)
    feed.flush(&effects.events)
  }

  /// Keeps the task that waits for a timeout, or cancels it if the deferral is over.
  mutating func keep(
    _ task: Task<Void, Never>, for timeout: DeferralTimeout, _ effects: inout Effects
  ) {
    if feed.isDeferring(timeout.number) {
      eventServices.deferralTask = task
    } else {
      effects.cancelled.append(task)
    }
  }

  /// Cancels the timeout of a deferral that is over.
  mutating func keepDeferral(_ effects: inout Effects) {
    if !feed.isDeferring { cancelDeferralTask(&effects) }
  }

  private mutating func cancelDeferralTask(_ effects: inout Effects) {
    if let task = eventServices.deferralTask.take() { effects.cancelled.append(task) }
  }
}
