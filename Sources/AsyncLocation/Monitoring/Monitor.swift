package import FoundationEssentials

/// Watches conditions and reports when they become satisfied or unsatisfied, after Core Location's
/// `CLMonitor`.
///
/// ```swift
/// let monitor = try await Monitor("deliveries", manager: manager)
/// try await monitor.add(.circle(center: depot, radius: 150), identifier: "depot")
/// for await event in monitor.events {
///   print(event.identifier, event.state)
/// }
/// ```
///
/// States are computed from the manager's locations and beacon reports, so areas can be monitored
/// with every backend, and permission is respected: while locations are not permitted, or accuracy
/// is reduced, conditions are ``State/unmonitored``, and ``Event/diagnostics`` states why. If
/// permission is withdrawn or reduced while an event waits, the event keeps its state, but its
/// location is removed, also from the storage, even if permission is granted again;
/// ``Diagnostics/locationWithheld`` reports this. There is no limit on the number of conditions.
/// The monitor has demand for locations while it has conditions.
///
/// With a persistent storage, conditions, states and events survive the process. A state and its
/// event are stored in one step before the event is delivered, so nothing is lost when the process
/// is killed: events are delivered in the order of their numbers, and an event that was not
/// finished is delivered again, marked with ``Event/isRepeated``. An event that an earlier process
/// stored is delivered once permission is determined or no condition is left. It has its location
/// only if permission for full accuracy is granted and was not withdrawn since the manager was
/// created. The same applies to an event that is read again after ``close()``.
///
/// Releasing the monitor and its ``events`` closes it.
public actor Monitor {
  /// The name with which the monitor was opened.
  public nonisolated let name: String
  let manager: HubLifetime
  let session: any MonitorSession
  let queue: MonitorEventQueue
  let eventLimit: Int
  let reportsToManager: Bool
  let now: @Sendable () -> Date
  var machine: MonitorStateMachine
  private(set) var isClosed = false

  /// The permission at the last check for a withdrawal.
  var seenPermission: DeliveryStamp
  /// The permission at the last check of all events in the queue.
  var checkedPermission: (isPermitted: Bool, stamp: DeliveryStamp)?

  // Storing.
  var journal = MonitorJournal()
  /// Changes that are not stored yet, with the permission under which they were made.
  var pending: [(change: MonitorChange, stamp: DeliveryStamp)] = []
  /// The callers that wait for the next write.
  var waiters: [CheckedContinuation<Void, Never>] = []
  /// Whether a task is writing to the storage.
  var isStoring = false
  /// The time of the next attempt after a failure of the storage, and its timer.
  var retry: (instant: Duration, timer: Task<Void, Never>)?

  private var permissionTask: Task<Void, Never>?
  private var managerHasEnded = false
  private var locationTask: Task<Void, Never>?
  private var beaconTask: Task<Void, Never>?
  /// Whether locations or beacon reports were lost since the last event.
  var hasLostLocations = false
  /// The number of locations and beacon reports that were discarded since the monitor was opened,
  /// because too many waited to be compared with the conditions.
  ///
  /// A crossing may have been missed. The next event has ``Diagnostics/locationsDiscarded``, but it
  /// may come much later.
  public private(set) var discardedLocations = 0
  /// The earliest expiry of a condition, and its timer.
  private var expiry: (date: Date, timer: Task<Void, Never>)?
  /// Non-nil only with the backend of a test kit.
  let activity: ActivityLedger?
  private let probe: StreamProbe?

  /// The reason why the storage does not work or why earlier content was set aside; nil if there is
  /// no problem. While the storage does not work, monitoring continues in memory.
  public var storageProblem: LocationError? { journal.problem ?? openingProblem }
  private let openingProblem: LocationError?

  /// Opens a monitor.
  ///
  /// - Parameters:
  ///   - name: 1...128 bytes of letters, digits, `-`, `_` and `.`, not beginning with `.`.
  ///   - manager: The source of the locations. Releasing it does not stop the monitor.
  ///   - storage: The storage of conditions, states and events; by default in memory.
  ///   - options: The criteria for a confirmed crossing of a boundary.
  ///   - eventLimit: The largest number of unread events, or two per condition if that is more. If
  ///     this limit is exceeded, the oldest events are discarded, and the next event has
  ///     ``Diagnostics/eventsDiscarded``.
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for an invalid name,
  ///   ``LocationError/Code/monitorInUse`` when a monitor of this name is open in the storage, in
  ///   this process or another, and ``LocationError/Code/storageUnavailable`` when the storage
  ///   cannot be opened.
  public init(
    _ name: String, manager: LocationManager,
    storage: any MonitorStorage = MemoryMonitorStorage(),
    options: CrossingOptions = CrossingOptions(), eventLimit: Int = 100_000
  ) async throws(LocationError) {
    if let refusal = manager.hub.use(.monitor) { throw refusal }
    try await self.init(
      name, manager.lifetime, storage: storage, options: options, eventLimit: eventLimit)
  }

  /// - Parameter now: The host's wall clock.
  package init(
    _ name: String, manager: LocationManager, storage: any MonitorStorage,
    options: CrossingOptions = CrossingOptions(), eventLimit: Int = 100_000,
    now: @escaping @Sendable () -> Date
  ) async throws(LocationError) {
    try await self.init(
      name, manager.lifetime, storage: storage, options: options, eventLimit: eventLimit, now: now)
  }

  /// - Parameter endpoint: The endpoint that the program called; nil if the manager reads the
  ///   events. They are then not reported in ``LocationManager/events``.
  init(
    _ name: String, _ manager: HubLifetime, as endpoint: LocationManager.Endpoint? = .monitor,
    storage: any MonitorStorage = MemoryMonitorStorage(),
    options: CrossingOptions = CrossingOptions(), eventLimit: Int = 100_000,
    now: @escaping @Sendable () -> Date = { Date() }
  ) async throws(LocationError) {
    try Self.check(name: name)
    let (session, stored) = try await storage.open(name)
    self.name = name
    self.manager = manager
    self.session = session
    self.now = now
    openingProblem = stored.problem
    activity = manager.hub.activity
    probe = activity.map { endpoint.map($0.openStream) ?? $0.probeOfTask() }
    seenPermission = manager.hub.gate.stamp(isPrecise: true)
    // Stored events may predate every withdrawal that this manager has recorded.
    let stamp = DeliveryStamp(generation: 0, isPrecise: true)
    let events = stored.events.map { StampedEvent($0.event, isOffered: $0.isOffered, stamp) }
    let needPermission = !stored.conditions.isEmpty && events.contains(where: \.revealsPlace)
    queue = MonitorEventQueue(events, isHeld: needPermission, probe)
    self.eventLimit = max(1, eventLimit)
    reportsToManager = endpoint != nil
    machine = MonitorStateMachine(
      stored, options, canRangeBeacons: manager.hub.capabilities.contains(.beacons))
    let changes = machine.stopUnsupported(at: now()) + machine.expire(at: now())
    // Checked here, because permission may be granted before its first change is read.
    if isWithheld || !manager.hub.gate.admits(stamp) { withholdPlaces() }
    await store(changes)
    followPermission()
    updateSources()
    if let endpoint { manager.hub.observer?.didOpen(endpoint) }
  }

  deinit {
    permissionTask?.cancel()
    locationTask?.cancel()
    beaconTask?.cancel()
    expiry?.timer.cancel()
    retry?.timer.cancel()
    probe?.close()
  }

  /// Stops monitoring and closes the storage, so that the name can be opened again. Conditions and
  /// unfinished events stay stored; a storage that failed is retried once. The event sequence ends.
  /// A second call does nothing, and does not wait for the first.
  public func close() async {
    guard !isClosed else { return }
    // A change of permission may be in effect before this monitor has read it.
    let changes = applyPermission(
      isDetermined: manager.hub.currentAuthorization.status != .notDetermined)
    isClosed = true
    permissionTask?.cancel()
    updateSources()
    await storeLast(changes)
    await session.close()
    queue.end()
    probe?.close()
  }

  // MARK: Conditions

  /// Adds a condition and returns once it is stored.
  ///
  /// If an equal condition has this identifier, it keeps its state and causes no event, so a
  /// program may add its conditions at every start. A different condition replaces the existing one
  /// and starts with a new state; events of the replaced condition are still delivered, with
  /// ``Diagnostics/conditionReplaced``.
  ///
  /// - Parameters:
  ///   - condition: The condition.
  ///   - identifier: 1...1,024 bytes without NUL.
  ///   - state: The assumed state: an event follows when another is determined. By default
  ///     ``State/unknown``: an event follows in any case.
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for an invalid identifier
  ///   or the state ``State/unmonitored``, and ``LocationError/Code/shutDown`` after ``close()``. A
  ///   failure of the storage is not thrown; see ``storageProblem``.
  public func add(
    _ condition: Condition, identifier: String, assuming state: State = .unknown
  ) async throws(LocationError) {
    try await add(contentsOf: [identifier: condition], assuming: state)
  }

  /// Adds many conditions in one step, by their identifiers.
  ///
  /// - Throws: As ``add(_:identifier:assuming:)`` does; then no condition is added.
  public func add(
    contentsOf conditions: [String: Condition], assuming state: State = .unknown
  ) async throws(LocationError) {
    guard !isClosed else { throw .monitorClosed }
    guard state != .unmonitored else {
      throw LocationError(.invalidValue, "A condition cannot be assumed to be unmonitored.")
    }
    for identifier in conditions.keys { try Self.check(identifier: identifier) }
    // Sorted, so that the events of one location have a defined order.
    let sorted = conditions.sorted { $0.key < $1.key }
    let changes = machine.add(sorted, assuming: state, at: now())
    updateSources()
    await store(changes)
  }

  /// Removes a condition; does nothing if there is none. Its events are still delivered.
  public func remove(_ identifier: String) async { await remove(contentsOf: [identifier]) }

  /// Removes many conditions in one step.
  public func remove(contentsOf identifiers: some Sequence<String>) async {
    guard !isClosed else { return }
    let changes = machine.remove(identifiers)
    updateSources()
    await store(changes)
    if managerHasEnded, locationTask == nil { queue.end() }
  }

  /// A condition and its last finished event; nil if there is no such condition.
  ///
  /// The event has its ``Event/refinement`` only if permission for full accuracy is granted and was
  /// not withdrawn since the event. The refinement is nil before permission is determined and once
  /// a withdrawal is in effect.
  public nonisolated func record(for identifier: String) async -> Record? {
    guard let (record, stamp) = await stampedRecord(for: identifier) else { return nil }
    // Checked where the caller resumes, because its actor may have been busy.
    return manager.hub.allowsPrecise(stamp) ? record : record.withoutRefinement
  }

  /// The current state of a condition; nil if there is no such condition. The event of the state
  /// may not have been delivered yet. The state becomes ``State/unmonitored`` soon after permission
  /// is withdrawn.
  public func state(for identifier: String) -> State? { machine.state(for: identifier) }

  /// The identifiers of all conditions, sorted.
  public var identifiers: [String] { machine.identifiers }

  // MARK: Events

  /// The events, in the order of their numbers.
  ///
  /// An event is finished when its consumer requests the next one: then it becomes
  /// ``Record/lastEvent``. An event that is not finished, because the loop was left or the process
  /// ended, is delivered again, marked with ``Event/isRepeated``. Concurrent loops share the
  /// events: each event is delivered to one of them.
  ///
  /// The sequence ends when the manager shuts down or its source ends, after the events before. It
  /// ends at once when the monitor is closed: the events that were not delivered are delivered when
  /// it is opened again. Cancelling the task of a loop ends the loop.
  ///
  /// At the top level of a program, an iterator lives until the program ends, so a loop that is
  /// left there holds its unfinished event until then. Put such loops into functions.
  public nonisolated var events: Events { Events(monitor: self) }

  /// Returns an event without data that the current permission does not cover. Called where the
  /// event is received.
  nonisolated func readable(_ event: StampedEvent) -> Event {
    let isReadable = !event.revealsPlace || manager.hub.allowsPrecise(event.stamp)
    return (isReadable ? event : event.withheld).event
  }

  /// Finishes an event and waits for the next one; nil at the end.
  func nextEvent(finishing finished: Event?) async -> StampedEvent? {
    var finished = finished
    while true {
      var changes: [MonitorChange] = []
      if let event = finished.take() {
        // The event's refinement may have been withheld since the delivery.
        let hasRefinement = queue.finish(event)?.event.refinement != nil
        machine.finish(hasRefinement ? event : event.withoutRefinement)
        changes.append(.finish(number: event.number))
      }
      // A closed storage cannot record that an event was delivered.
      guard !isClosed else { return nil }
      let next = Task.isCancelled ? nil : queue.take()
      if let next { changes.append(.offer(number: next.event.number)) }
      await store(changes)
      if let next {
        return machine.isOfReplacedCondition(next.event)
          ? StampedEvent(next.event.with(.conditionReplaced, isRepeated: false), next.stamp) : next
      }
      guard await queue.wait() else { return nil }
    }
  }

  nonisolated func requeue(_ event: Event) { queue.requeue(event) }

  // MARK: Observing

  /// The buffering of locations and beacon reports, of which a backend may emit many at once.
  private static var buffering: BufferingPolicy { .newest(16_384) }

  /// Subscribes to locations while there are conditions, and to beacon reports while any of them
  /// are beacons. Sets the timer of the next expiry.
  func updateSources() {
    let isActive = !isClosed && machine.count > 0
    // Without conditions nothing requests permission, so events do not wait for it.
    if machine.count == 0 { queue.release() }
    if !isActive {
      locationTask?.cancel()
      locationTask = nil
    } else if locationTask == nil {
      let updates = manager.liveUpdates(Self.buffering)
      locationTask = task(reading: updates) { [weak self] in
        var losses = LossCount(updates.channel)
        while let (update, stamp) = try? await updates.nextStamped() {
          await self?.observe(update, stamp, losing: losses.takeGrowth())
        }
        if !Task.isCancelled { await self?.sourceEnded() }
      }
    }
    if !isActive || !machine.rangesBeacons {
      beaconTask?.cancel()
      beaconTask = nil
    } else if beaconTask == nil {
      let reports = manager.beaconReports(Self.buffering)
      beaconTask = task(reading: reports) { [weak self] in
        var losses = LossCount(reports.channel)
        var isRefused = false
        do throws(LocationError) {
          while let (report, stamp) = try await reports.nextStamped() {
            await self?.observe(report, stamp, losing: losses.takeGrowth())
          }
        } catch {
          isRefused = error.isRefusal
        }
        if !Task.isCancelled { await self?.beaconsEnded(isRefused: isRefused) }
      }
    }
    setExpiryTimer()
  }

  /// Starts a task that reads a subscription. A test kit counts the task as active, except while it
  /// waits for the next element.
  private func task<Element>(
    reading subscription: Subscription<Element>, _ body: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    activity?.begin()
    if let activity { subscription.channel.observe(activity.probeOfTask()) }
    return Task.detached(executorPreference: manager.hub.executor) { [activity] in
      await body()
      activity?.end()
    }
  }

  private func recordLosses(_ count: Int) {
    guard count > 0 else { return }
    discardedLocations += count
    hasLostLocations = true
  }

  /// Observes a location update.
  ///
  /// - Parameter count: The number of updates that were lost before this one.
  private func observe(
    _ update: LocationUpdate, _ stamp: DeliveryStamp, losing count: Int
  ) async {
    recordLosses(count)
    guard !isClosed else { return }
    let date = now()
    var changes = machine.expire(at: date) + suspendIfWithdrawn(at: date)
    // Permission may have been withdrawn since the update was taken. Checked after
    // `suspendIfWithdrawn`, so that no withdrawal falls between the two checks.
    guard update.location == nil || manager.hub.gate.admits(stamp) else {
      updateSources()
      return await storeSoon(changes, stamp)
    }
    let reasons = Diagnostics(suspending: update.diagnostics)
    if update.location != nil || !reasons.isEmpty {
      changes += machine.suspend(because: reasons, at: date)
    }
    if !reasons.isEmpty { withholdEvents(isPermitted: manager.hub.permitsPrecise) }
    if let location = update.location, let arrival = location.arrival {
      changes += machine.observe(location, at: arrival.instant)
      updateSources()  // Ranging ended if permission was withdrawn; starts it again.
    }
    await storeSoon(changes, stamp)
  }

  private func observe(
    _ arrived: ArrivedBeacons, _ stamp: DeliveryStamp, losing count: Int
  ) async {
    recordLosses(count)
    guard !isClosed else { return }
    let date = now()
    var changes = suspendIfWithdrawn(at: date)
    // Beacon reports resume monitoring as locations do: indoors there may be no locations.
    if manager.hub.gate.admits(stamp) {
      changes += machine.suspend(because: [], at: date)
      changes += machine.observe(arrived.report.beacons, at: date, arrived.instant)
    }
    await storeSoon(changes, stamp)
  }

  /// Handles the end of the beacon reports.
  ///
  /// - Parameter isRefused: Whether the reports ended for lack of permission. If it is granted
  ///   again by now, ranging starts again.
  private func beaconsEnded(isRefused: Bool) {
    beaconTask = nil
    if isRefused, manager.hub.permitsPrecise { updateSources() }
  }

  /// Handles the end of the locations: ends the sequence after the events that are being stored.
  private func sourceEnded() async {
    await store([])
    queue.end()
  }

  /// Observes permission, and ends the events when the manager shuts down, also while there are no
  /// conditions.
  ///
  /// Permission is observed even after the end of the manager, because it still applies to waiting
  /// events and stored data.
  private func followPermission() {
    let changes = manager.latestPermission()
    permissionTask = task(reading: changes) { [weak self] in
      var isOver = false
      while let change = try? await changes.next() {
        await self?.authorizationChanged(change.authorization)
        if change.isOver, !isOver {
          isOver = true
          await self?.managerEnded()
        }
      }
    }
  }

  /// Handles the end of the manager: ends the sequence, unless a subscription to locations does so
  /// after its buffered locations.
  private func managerEnded() async {
    managerHasEnded = true
    guard locationTask == nil else { return }
    await store([])
    queue.end()
  }

  private func setExpiryTimer() {
    let date = isClosed ? nil : machine.nextExpiry()
    guard date != expiry?.date else { return }
    expiry?.timer.cancel()
    expiry = nil
    guard let date else { return }
    let timeline = manager.hub.timeline
    let remaining = ExactSeconds.duration(max(date.timeIntervalSince(now()), 0)) ?? .greatest
    let deadline = timeline.now().addingSaturated(remaining)
    expiry = (date, timer(until: deadline) { await $0.expire() })
  }

  /// Starts a task that calls a closure at a deadline.
  func timer(
    until deadline: Duration, _ body: @escaping @Sendable (Monitor) async -> Void
  ) -> Task<Void, Never> {
    let timeline = manager.hub.timeline
    activity?.begin()
    return Task.detached(executorPreference: manager.hub.executor) { [weak self, activity] in
      await Hub.performing(activity) {
        guard await Hub.sleep(on: timeline, until: deadline, for: .monitor, activity), let self
        else { return }
        await body(self)
      }
    }
  }

  private func expire() async {
    guard !isClosed else { return }
    expiry = nil
    let changes = machine.expire(at: now())
    updateSources()
    await store(changes)
  }
}

/// Counts the elements that a channel discarded because its buffer was full.
private struct LossCount<Element: Sendable> {
  private let channel: BoundedChannel<Element>
  private var known: UInt64 = 0

  init(_ channel: BoundedChannel<Element>) { self.channel = channel }

  /// Returns the number of elements lost since the last call.
  mutating func takeGrowth() -> Int {
    let lost = channel.evicted
    defer { known = lost }
    return Int(lost - known)
  }
}

extension LocationError {
  fileprivate static var monitorClosed: Self {
    Self(.shutDown, "The monitor was closed; open it again.")
  }
}
