/// Adds and removes subscribers, and their demand.
extension HubState {
  mutating func join(
    _ id: UInt64, _ channel: BoundedChannel<Location>, _ options: UpdateOptions, at now: Duration,
    _ effects: inout Effects
  ) {
    guard admit(channel, .locations, device: options.device, &effects) else { return }
    let subscriber = fanOut.locations.join(
      id, channel, UpdateFilter(options), PauseTable.Key(options))
    if options.maximumAge > .zero, let location = known.location,
      let instant = location.arrival?.instant, now - instant <= options.maximumAge
    {
      let stamp = fanOut.gate.stamp(isPrecise: !isReduced)
      fanOut.gate.count(
        subscriber.deliver(location, at: instant, stamp, waking: &effects.wakes))
    }
    demand(options.demand, holder: id, &effects)
  }

  mutating func join(
    _ id: UInt64, _ channel: BoundedChannel<Heading>, _ options: HeadingOptions,
    _ effects: inout Effects
  ) {
    guard admit(channel, .headings, device: options.device, &effects) else { return }
    fanOut.headings.join(id, channel, HeadingFilter(options))
    demand(options.demand, holder: id, &effects)
  }

  mutating func join(
    _ id: UInt64, _ channel: BoundedChannel<SatelliteView>, _ effects: inout Effects
  ) {
    guard admit(channel, .satellites, &effects) else { return }
    fanOut.satellites.join(id, channel, PreferredFilter())
    demand(BackendDemand(kinds: .satellites), holder: id, &effects)
  }

  mutating func join(
    _ id: UInt64, _ channel: BoundedChannel<ArrivedBeacons>, _ effects: inout Effects
  ) {
    guard admit(channel, .beacons, &effects) else { return }
    fanOut.beacons.join(id, channel, PreferredFilter())
    demand(BackendDemand(kinds: .beacons), holder: id, &effects)
  }

  /// - Parameter configuration: The activity of a stream that pauses; nil to deliver every
  ///   location.
  mutating func join(
    _ id: UInt64, _ channel: BoundedChannel<LocationUpdate>,
    pausing configuration: LiveUpdateConfiguration? = nil, _ effects: inout Effects
  ) {
    guard !isClosed else { return channel.finish(waking: &effects.wakes) }
    retrySource(&effects)
    demand(BackendDemand(kinds: .locations), holder: id, &effects)
    let key = configuration.map { PauseTable.Key($0.activityType, pauses: true) }
    fanOut.locations.join(
      id, channel, reporting: diagnostics, pausing: key, waking: &effects.wakes)
  }

  mutating func join(
    _ id: UInt64, _ channel: BoundedChannel<ConnectionState>, _ effects: inout Effects
  ) {
    guard !isClosed else { return channel.finish(waking: &effects.wakes) }
    fanOut.notify(source.publishedConnection, channel, waking: &effects.wakes)
    fanOut.join(id, channel)
  }

  mutating func join(
    _ id: UInt64, _ channel: BoundedChannel<Authorization>, _ effects: inout Effects
  ) {
    guard !isClosed else { return channel.finish(waking: &effects.wakes) }
    if !policy.awaitsFirstReport {
      fanOut.notify(authorization.current, channel, waking: &effects.wakes)
    }
    fanOut.join(id, channel)
  }

  /// Adds a subscriber, even after the manager's shutdown.
  mutating func join(
    _ id: UInt64, _ channel: BoundedChannel<FollowedPermission>, _ effects: inout Effects
  ) {
    if !policy.awaitsFirstReport {
      let followed = FollowedPermission(authorization: authorization.current, isOver: isClosed)
      fanOut.notify(followed, channel, waking: &effects.wakes)
    }
    fanOut.join(id, channel)
  }

  mutating func join(
    _ id: UInt64, _ channel: BoundedChannel<PauseEvent>, _ effects: inout Effects
  ) {
    guard !isClosed else { return channel.finish(waking: &effects.wakes) }
    fanOut.locations.join(id, channel, waking: &effects.wakes)
  }

  mutating func leave(_ id: UInt64, _ stream: FanOut.Stream, _ effects: inout Effects) {
    guard stream != .events else { return leaveEvents(id, &effects) }
    fanOut.leave(id, stream, waking: &effects.wakes)
    applyPauses(&effects)
    release([id], &effects)
    namedDevicesChanged(&effects)
  }

  /// Returns true when a new stream of reports may start; otherwise finishes the channel with an
  /// error.
  private mutating func admit<Element>(
    _ channel: BoundedChannel<Element>, _ kind: BackendCapabilities, device: String? = nil,
    _ effects: inout Effects
  ) -> Bool {
    retrySource(&effects)
    let error: LocationError? =
      if isClosed {
        .managerShutDown
      } else if let invalid = device.flatMap(LocationError.invalidDevice) {
        invalid
      } else if let refusal = authorization.machine.refusal {
        refusal
      } else {
        capabilities.isSuperset(of: kind) ? nil : .unsupportedReports(kind)
      }
    guard let error else { return true }
    channel.finish(error, waking: &effects.wakes)
    return false
  }

  /// Reports subscribers that pause or resume, and changes their demand if the backend can pause.
  mutating func applyPauses(_ effects: inout Effects) {
    let changes = fanOut.locations.takePauses(waking: &effects.wakes)
    if !changes.events.isEmpty { feed.reportPauses(changes.events, &effects.events) }
    for change in changes.demands where capabilities.contains(.pausing) {
      control.setPaused(change.members, change.isPaused, &effects)
    }
  }

  /// Adds demand: requests permission if implicit requests are on, and runs the backend when
  /// permitted.
  mutating func demand(
    _ demand: BackendDemand, holder: UInt64, _ effects: inout Effects
  ) {
    hold(demand, holder: holder, requestsPermission: true, &effects)
  }

  /// - Parameter requestsPermission: Whether to request permission if implicit requests are on.
  mutating func hold(
    _ demand: BackendDemand, holder: UInt64, requestsPermission: Bool, _ effects: inout Effects
  ) {
    if requestsPermission, requestsImplicitly { authorize(.requested(.whenInUse), &effects) }
    control.hold(demand, holder: holder, &effects)
    namedDevicesChanged(&effects)
  }
}
