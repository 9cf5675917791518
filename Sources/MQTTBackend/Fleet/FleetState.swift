import AsyncLocation
import FoundationEssentials
import LocationFleet
import OwnTracks

/// The state that a fleet's hub guards with its lock: the intake, the shared conditions, and
/// results that are not delivered yet. Performs no I/O; the caller resumes the consumers.
struct FleetState: Sendable {
  /// The number of staged elements that causes a delivery before the next flush.
  static let stagedLimit = 4_096
  /// The number of connection states that a stream buffers.
  static let connectionStatesLimit = 16

  var intake: FleetIntake
  /// The devices of the tracker are slots of the directory.
  var tracker: ConditionTracker<DeviceDirectory.Slot>
  var audiences = FleetAudiences()
  var storing = FleetStoring()
  /// The locations that wait for earlier ones of their devices.
  private var reordering: FleetReordering
  private var heldRetained: HeldRetained
  let limits: FleetLimits
  private let confirmsLocations: Bool

  var updates = Subscribers<FleetUpdate>()
  var changes = Subscribers<FleetChange>()
  var events = Subscribers<FleetEvent>()
  var messages = Subscribers<FleetMessage>()
  var tripLocations = Subscribers<TripLocation>()
  var connectionStates = Subscribers<ConnectionState>()
  private(set) var connection = ConnectionState(.idle)

  /// Set once the fleet has ended: thrown by streams that are opened later.
  private(set) var end: LocationError?
  /// The arrival time of the messages since the last flush; nil if there are none.
  private(set) var arrival: FleetTime?
  private var stagedUpdates: [FleetUpdate] = []
  private var stagedEvents: [FleetEvent] = []
  private var stagedMessages: [FleetMessage] = []
  private var stagedTripLocations: [TripLocation] = []
  private var results = FleetIntake.Results()
  /// The number of locations in the last delivery, for reserving capacity.
  private var lastCount = 0
  private var wasConnected = false

  init(_ configuration: FleetConfiguration) {
    intake = FleetIntake(configuration)
    tracker = ConditionTracker(options: configuration.crossing)
    reordering = FleetReordering(timeout: configuration.limits.gapTimeout.wholeNanoseconds)
    heldRetained = HeldRetained(longest: configuration.limits.gapTimeout.wholeNanoseconds)
    limits = configuration.limits
    confirmsLocations = configuration.confirmsLocations
  }

  // MARK: Messages

  /// Begins a burst of messages.
  mutating func arrived(at now: FleetTime) {
    arrival = now
    if tracker.count > 0 {
      removeExpired(at: Date(timeIntervalSinceReferenceDate: now.wall))
    }
  }

  /// When locations next stop waiting for earlier ones, in nanoseconds; nil if none waits.
  var waitingDeadline: Int64? {
    [reordering.deadline, heldRetained.deadline].compactMap(\.self).min()
  }

  /// Accepts locations that have waited for too long. Returns whether there may be more.
  mutating func releaseOverdue(at now: FleetTime, waking wakes: inout Wakes) -> Bool {
    let retained = heldRetained.takeDue(at: now.monotonic)
    for message in retained { accept(message, at: now, waking: &wakes) }
    let overdue = reordering.takeOverdue(at: now.monotonic)
    for (slot, locations) in overdue {
      accept(locations, at: now, waking: &wakes)
      if let last = locations.last { release(slot, before: last.time, at: now, waking: &wakes) }
    }
    return !overdue.isEmpty || !retained.isEmpty
  }

  mutating func admit(
    topic: Span<UInt8>, payloadLength: Int, isRetained: Bool, at now: FleetTime
  ) -> FleetIntake.Admission {
    intake.admit(
      topic: topic, payloadLength: payloadLength, isRetained: isRetained, at: now, into: &results)
  }

  /// Handles a decoded message. A location may wait for an earlier one of its device, and is then
  /// handled after it.
  ///
  /// - Parameters:
  ///   - message: The complete message, if it was decoded.
  ///   - size: The length of its payload.
  mutating func receive(
    _ content: borrowing FleetContent, _ message: OwnTracksMessage?, size: Int,
    _ ticket: FleetIntake.Ticket, topic: Span<UInt8>, isRetained: Bool, at now: FleetTime,
    waking wakes: inout Wakes
  ) {
    heldRetained.arrived(at: now.monotonic)
    if isRetained, end == nil, case .location = copy content,
      heldRetained.add(
        DeferredMessage(
          content: copy content, message: message, size: size, ticket: ticket,
          topic: topic.indices.map { topic[$0] }, isRetained: true))
    {
      return
    }
    guard content.previous != nil || reordering.deadline != nil, mayWait,
      case .location(let location, let request) = copy content,
      let (slot, last) = intake.lastLocation(before: ticket, topic: topic)
    else {
      return accept(
        content, message, size: size, ticket, topic: topic, isRetained: isRetained, at: now,
        waking: &wakes)
    }
    let time = LocationTime(location.timestamp)
    if let request, let previous = request.previous,
      intake.mustWait(
        location, after: previous, last: last, slot, isRetained: isRetained, at: now,
        into: &results)
    {
      if !reordering.hasLocations(of: slot) { announce(request, slot) }
      let waiting = WaitingLocation(
        received: DeferredMessage(
          content: copy content, message: message, size: size, ticket: ticket,
          topic: topic.indices.map { topic[$0] }, isRetained: isRetained),
        time: time, previous: previous, arrival: now.monotonic)
      let addition = reordering.add(waiting, of: slot)
      intake.count(addition)
      if reordering.isOverfull { accept(reordering.takeLargest(), at: now, waking: &wakes) }
      if addition != .refused { return }
      accept(reordering.takeAll(of: slot), at: now, waking: &wakes)
    }
    let isDelivered = intake.delivers(location, slot, at: now)
    if isDelivered { release(slot, before: time, at: now, waking: &wakes) }
    accept(
      content, message, size: size, ticket, topic: topic, isRetained: isRetained, at: now,
      waking: &wakes)
    if isDelivered { release(slot, before: time, at: now, waking: &wakes) }
  }

  /// Whether locations may wait. A fleet with a storage that confirms nothing would lose them if it
  /// was killed: their devices do not send them to it again.
  private var mayWait: Bool {
    end == nil && reordering.isEnabled && (storing.journal == nil || confirmsLocations)
  }

  /// Has the stored locations of a device confirmed: a device that learns of a new run of the server
  /// sends again what the last run has not stored, such as the missing location.
  private mutating func announce(_ request: ConfirmationRequest, _ slot: DeviceDirectory.Slot) {
    guard storing.journal != nil, let device = intake.directory.id(of: slot) else { return }
    storing.confirmations.requested(by: device, from: request.start)
    storing.confirmations.announce(to: device)
  }

  /// Accepts the waiting locations of a device that precede `time`, or whose previous one has
  /// arrived.
  private mutating func release(
    _ slot: DeviceDirectory.Slot, before time: LocationTime, at now: FleetTime,
    waking wakes: inout Wakes
  ) {
    while let location = reordering.takeFirst(
      of: slot, before: time, after: intake.lastTime(of: slot))
    { accept([location], at: now, waking: &wakes) }
  }

  private mutating func accept(
    _ locations: [WaitingLocation], at now: FleetTime, waking wakes: inout Wakes
  ) {
    for location in locations { accept(location.received, at: now, waking: &wakes) }
  }

  private mutating func accept(
    _ deferred: DeferredMessage, at now: FleetTime, waking wakes: inout Wakes
  ) {
    accept(
      deferred.content, deferred.message, size: deferred.size, deferred.ticket,
      topic: deferred.topic.span, isRetained: deferred.isRetained, hasWaited: true, at: now,
      waking: &wakes)
  }

  private mutating func accept(
    _ content: borrowing FleetContent, _ message: OwnTracksMessage?, size: Int,
    _ ticket: FleetIntake.Ticket, topic: Span<UInt8>, isRetained: Bool, hasWaited: Bool = false,
    at now: FleetTime, waking wakes: inout Wakes
  ) {
    let acceptance = intake.accept(
      content, ticket, topic: topic, isRetained: isRetained, hasWaited: hasWaited, at: now,
      into: &results)
    if !results.forgotten.isEmpty { forgetStates() }
    if let delivery = acceptance.delivery {
      if !hasWaited, !reordering.hasLocations(of: delivery.slot) {
        intake.forgetDrops(of: delivery.slot)
      }
      stage(delivery)
    }
    if let late = acceptance.late {
      storing.journal?.add(.location(late.device, late.location, isLast: false))
    }
    if confirmsLocations, storing.journal != nil, let (device, start) = acceptance.confirmation {
      if let time = acceptance.refused {
        storing.confirmations.refused(time, of: device, from: start)
      } else {
        storing.confirmations.requested(by: device, from: start)
        storing.journal?.synchronize()
      }
    }
    if let message, let device = acceptance.device, !messages.isEmpty {
      stagedMessages.append(
        FleetMessage(device: device, message: message, isRetained: isRetained, size: size))
    }
    let staged =
      max(stagedUpdates.count, stagedTripLocations.count) + stagedEvents.count
      + stagedMessages.count
    if staged + results.changes.count >= Self.stagedLimit {
      deliver(waking: &wakes)
    }
  }

  private mutating func stage(_ delivery: FleetIntake.Results.Delivery) {
    let update = delivery.update
    storing.journal?.add(.location(update.device, update.location, isLast: true))
    if tracker.count > 0 { observe(delivery) }
    if !tripLocations.isEmpty {
      stagedTripLocations.append(
        TripLocation(
          device: update.device, number: intake.directory[delivery.slot].number,
          location: update.location))
    }
    guard !updates.isEmpty else { return }
    if stagedUpdates.isEmpty { stagedUpdates.reserveCapacity(lastCount) }
    stagedUpdates.append(update)
  }

  private mutating func observe(_ delivery: FleetIntake.Results.Delivery) {
    let update = delivery.update
    // The location's own time is used, since locations that the device stored while offline arrive
    // together. The times only increase, because the intake drops other locations.
    let (changes, changesStates) = tracker.observe(
      update.location, of: delivery.slot, at: .seconds(update.location.timestampSeconds),
      where: audiences.filter(for: update.device))
    if changesStates { journalStates(of: delivery.slot) }
    for change in changes {
      let event = FleetEvent(
        device: update.device, identifier: change.identifier,
        previousState: change.previousState, state: change.state, location: update.location,
        isRetained: update.isRetained, revision: change.revision,
        number: storing.journal?.assignNumber() ?? 0)
      if storing.journal == nil {
        stagedEvents.append(event)
      } else {
        storing.journal?.add(.event(event))
      }
    }
  }

  /// Removes the forgotten devices, with the states of the conditions for them.
  private mutating func forgetStates() {
    for device in results.forgotten {
      tracker.forget(device.slot)
      reordering.remove(device.slot)
      storing.confirmations.forget(device.id)
      storing.journal?.add(.forget(device.id))
    }
    results.forgotten = []
  }

  /// Delivers the staged elements, as one batch for each stream.
  mutating func deliver(waking wakes: inout Wakes) {
    updates.push(stagedUpdates, waking: &wakes)
    changes.push(results.changes, waking: &wakes)
    events.push(stagedEvents, waking: &wakes)
    messages.push(stagedMessages, waking: &wakes)
    tripLocations.push(stagedTripLocations, waking: &wakes)
    lastCount = stagedUpdates.count
    if !stagedUpdates.isEmpty { stagedUpdates = [] }
    if !stagedEvents.isEmpty { stagedEvents = [] }
    if !stagedMessages.isEmpty { stagedMessages = [] }
    if !stagedTripLocations.isEmpty { stagedTripLocations = [] }
    if !results.changes.isEmpty { results.changes = [] }
  }

  /// Ends a burst of messages.
  mutating func flush(waking wakes: inout Wakes) {
    arrival = nil
    deliver(waking: &wakes)
  }

  // MARK: The connection

  mutating func connected(resumesSession: Bool, at now: FleetTime, waking wakes: inout Wakes) {
    if wasConnected, !resumesSession {
      intake.interrupt(into: &results)
      // The broker does not send the missing locations any more.
      for locations in reordering.takeAll() { accept(locations, at: now, waking: &wakes) }
    }
    // A new run asks for the retained messages too.
    if !wasConnected, resumesSession { heldRetained.begin(at: now.monotonic) }
    wasConnected = true
    deliver(waking: &wakes)
  }

  mutating func changed(_ state: ConnectionState, at now: FleetTime, waking wakes: inout Wakes) {
    guard end == nil else { return }
    connection = state
    connectionStates.push([state], waking: &wakes)
    guard state.phase == .failed else { return }
    let error =
      state.problem ?? LocationError(.backendUnavailable, "The connection to the broker failed.")
    close(throwing: error, later: error, at: now, waking: &wakes)
  }

  // MARK: Devices

  var statistics: FleetStatistics {
    var statistics = intake.statistics
    if let journal = storing.journal {
      statistics.unstored = journal.droppedLocations + storing.lostLocations
      statistics.discardedEvents = storing.discardedEvents + journal.droppedEvents
    }
    return statistics
  }

  mutating func forget(_ id: FleetDevice.ID, waking wakes: inout Wakes) {
    heldRetained.remove(id)
    intake.forget(id, into: &results)
    forgetStates()
    storing.erase(id)
    deliver(waking: &wakes)
  }

  // MARK: The end

  mutating func shutDown(at now: FleetTime, waking wakes: inout Wakes) {
    close(
      throwing: nil, later: LocationError(.shutDown, "The fleet was shut down."), at: now,
      waking: &wakes)
  }

  mutating func supersede(_ error: LocationError, at now: FleetTime, waking wakes: inout Wakes) {
    // The devices send them to the other server.
    _ = reordering.takeAll()
    close(throwing: error, later: error, at: now, waking: &wakes)
  }

  /// Ends all streams after their buffered elements. With a storage, the stream of events ends once
  /// the writer has ended.
  ///
  /// - Parameters:
  ///   - error: The error that open streams throw; nil if they end normally.
  ///   - later: The error of streams that are opened later.
  private mutating func close(
    throwing error: LocationError?, later: LocationError, at now: FleetTime,
    waking wakes: inout Wakes
  ) {
    guard end == nil else { return }
    heldRetained.removeAll()
    for locations in reordering.takeAll() { accept(locations, at: now, waking: &wakes) }
    end = later
    deliver(waking: &wakes)
    updates.finish(error, waking: &wakes)
    changes.finish(error, waking: &wakes)
    messages.finish(error, waking: &wakes)
    tripLocations.finish(error, waking: &wakes)
    connectionStates.finish(nil, waking: &wakes)
    // With a storage, events are delivered when they are stored.
    if storing.isOpen { storing.streamError = error } else { events.finish(error, waking: &wakes) }
  }

  /// Handles the end of the writer: ends the stream of events.
  ///
  /// - Parameter lost: The batch that could not be stored; nil if there is none. Pending changes
  ///   are lost, too.
  mutating func endStoring(losing lost: FleetBatch?, waking wakes: inout Wakes) {
    storing.isEnded = true
    let waiting = storing.journal?.take()
    storing.lostLocations = [lost, waiting].compactMap(\.self).map(\.locationCount).reduce(0, +)
    events.finish(storing.streamError, waking: &wakes)
  }
}
