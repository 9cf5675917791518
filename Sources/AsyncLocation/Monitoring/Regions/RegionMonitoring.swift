/// Monitors the regions of a manager with a monitor in memory, which is opened on first use.
actor RegionMonitoring {
  private struct Subscribers: Sendable {
    var channels = SubscriberTable<BoundedChannel<RegionEvent>>()
    var hasEnded = false
  }

  private let lifetime: HubLifetime
  private let buffering: BufferingPolicy
  private let subscribers = Locked(Subscribers())
  private var machine = RegionStateMachine()
  private var reportedStates = ReportedStates()
  private var monitor: Monitor?
  /// Handles the events of the monitor.
  private var eventTask: Task<Void, Never>?

  init(_ lifetime: HubLifetime, _ buffering: BufferingPolicy) {
    (self.lifetime, self.buffering) = (lifetime, buffering)
  }

  deinit { eventTask?.cancel() }

  var regions: Set<Region> { machine.regions }

  func start(_ region: Region) async throws(LocationError) {
    let condition: Condition
    switch region {
    case .circular(let circle):
      condition = try .circle(center: circle.center, radius: circle.radius)
    case .beacon(let beacon):
      condition = .beacon(beacon.constraint)
    }
    try Monitor.check(identifier: region.identifier)
    let monitor = try await open()
    let (key, replaced) = machine.start(region, condition)
    publish([.didStartMonitoring(region)], .unrestricted)
    // The new condition is added before the old one is removed, so that demand for locations does
    // not end in between.
    do throws(LocationError) {
      try await monitor.add(condition, identifier: key)
    } catch {
      if machine.key(of: region.identifier) == key { machine.stop(region.identifier) }
      throw error
    }
    if let replaced { await remove(replaced, from: monitor) }
    // Another call may have stopped or replaced the region meanwhile.
    if machine.key(of: region.identifier) != key { await remove(key, from: monitor) }
  }

  func stop(_ region: Region) async {
    if let key = machine.stop(region.identifier), let monitor { await remove(key, from: monitor) }
  }

  private func remove(_ key: String, from monitor: Monitor) async {
    reportedStates.remove(key)
    await monitor.remove(key)
  }

  func requestState(for region: Region) async {
    let stamp = lifetime.hub.gate.stamp(isPrecise: true)
    var state: Monitor.State?
    if let key = machine.key(of: region.identifier) {
      state = await monitor?.permittedState(for: key)
      // The region may have been replaced meanwhile, or permission withdrawn.
      if machine.key(of: region.identifier) != key || !lifetime.hub.allowsPrecise(stamp) {
        state = nil
      }
    }
    publish(machine.requestState(for: region, currentState: state), stamp)
  }

  /// A subscription to the events. It retains this object.
  nonisolated func subscribe() -> Subscription<RegionEvent> {
    let channel = BoundedChannel<RegionEvent>(buffering, gate: lifetime.hub.gate)
    if let refusal = lifetime.hub.use(.regionEvents) {
      return Subscription(refusing: channel, with: refusal)
    }
    let activity = lifetime.hub.activity
    let probe = activity?.openStream(.regionEvents)
    if let probe { channel.observe(probe) }
    let id = lifetime.hub.newID()
    let hasEnded = subscribers.withLock { subscribers in
      if !subscribers.hasEnded { subscribers.channels.add(channel, id: id) }
      return subscribers.hasEnded
    }
    if hasEnded { channel.abandon() }
    // Opens the monitor, because the monitor detects the shutdown of the manager.
    activity?.begin()
    Task.detached(executorPreference: lifetime.hub.executor) {
      _ = try? await self.open()
      activity?.end()
    }
    lifetime.hub.observer?.didOpen(.regionEvents)
    return Subscription(channel, probe) {
      let channel = self.subscribers.withLock { $0.channels.remove(id) }
      channel?.abandon()
    }
  }

  /// Opens the monitor and starts to handle its events, unless it is open.
  private func open() async throws(LocationError) -> Monitor {
    if let monitor { return monitor }
    let opened = try await Monitor("regions", lifetime, as: nil)
    // Another call may have opened a monitor meanwhile. Releasing the second one closes it.
    if let monitor { return monitor }
    monitor = opened
    let activity = lifetime.hub.activity
    activity?.begin()
    eventTask = Task.detached(executorPreference: lifetime.hub.executor) { [weak self] in
      var finished: Monitor.Event?
      while let next = await opened.nextEvent(finishing: finished) {
        await self?.handle(next)
        finished = next.event
      }
      if !Task.isCancelled { await self?.end() }
      activity?.end()
    }
    return opened
  }

  private func handle(_ event: StampedEvent) {
    let (hub, key) = (lifetime.hub, event.event.identifier)
    // Losses are reported for each region, and must leave half of each buffer for crossings.
    publish(machine.losses(in: event.event.diagnostics), .unrestricted, filling: .half)
    if event.event.hasDeterminedState {
      // The state is determined again under the next permission, also for a pending request.
      guard hub.allowsPrecise(event.stamp) else {
        return publish(machine.handle(event.event.undetermined), .unrestricted)
      }
      if !reportedStates.mayCross(from: key, having: losses(), hub.gate.admits) {
        machine.forgetState(of: key)
      }
      if machine.isKnown(key) { reportedStates.determined(key, under: event.stamp) }
    }
    publish(machine.handle(event.event), event.stamp)
  }

  /// The number of events that each subscriber has missed, including events withdrawn before they
  /// were read.
  private func losses() -> ReportedStates.Losses {
    let channels = subscribers.withLock { zip($0.channels.ids, $0.channels.members).map { $0 } }
    var losses = lifetime.hub.eventLosses
    for (id, channel) in channels {
      lifetime.hub.gate.count(channel.discardWithdrawn())
      losses[id] = channel.dropped
    }
    return losses
  }

  /// - Parameters:
  ///   - stamp: The permission under which the events that reveal a position were made.
  ///   - share: With `half`, streams whose buffers are half full drop the events.
  private func publish(
    _ events: [RegionEvent], _ stamp: DeliveryStamp, filling share: BufferShare = .all
  ) {
    let channels = subscribers.withLock { $0.channels.members }
    var wakes = Wakes()
    for event in events {
      let stamp = event.state == nil ? .unrestricted : stamp
      guard lifetime.hub.allowsPrecise(stamp) else { continue }
      // A requested state may differ from the state of the last event, because it is read from the
      // monitor at another time.
      if let state = event.state, let key = machine.key(of: event.region.identifier),
        machine.lastState(of: event.region.identifier) == state
      {
        reportedStates.pushed(key, having: losses())
      }
      for channel in channels {
        lifetime.hub.gate.count(channel.push([event], stamp, filling: share, waking: &wakes))
      }
      lifetime.hub.decide { $0.report(event.locationEvent, ofPosition: stamp, filling: share, &$1) }
    }
    wakes.perform()
  }

  private func end() {
    let channels = subscribers.withLock { subscribers in
      subscribers.hasEnded = true
      return subscribers.channels.removeAll()
    }
    var wakes = Wakes()
    for channel in channels { channel.finish(waking: &wakes) }
    wakes.perform()
  }
}

extension RegionEvent {
  fileprivate var region: Region {
    switch self {
    case .didStartMonitoring(let region), .didEnter(let region), .didExit(let region),
      .didDetermineState(_, let region), .monitoringDidFail(let region, _):
      region
    }
  }

  /// The state that the event reports; nil if the event does not reveal the position of the device.
  fileprivate var state: RegionState? {
    switch self {
    case .didEnter: .inside
    case .didExit: .outside
    case .didDetermineState(let state, _): state == .unknown ? nil : state
    case .didStartMonitoring, .monitoringDidFail: nil
    }
  }

  /// The corresponding event of ``LocationManager/events``.
  fileprivate var locationEvent: LocationEvent {
    switch self {
    case .didStartMonitoring(let region): .didStartMonitoring(region)
    case .didEnter(let region): .didEnterRegion(region)
    case .didExit(let region): .didExitRegion(region)
    case .didDetermineState(let state, let region): .didDetermineState(state, for: region)
    case .monitoringDidFail(let region, let error): .monitoringDidFail(region, error)
    }
  }
}
