/// The subscribers of locations and of pauses, and the locations that wait for a delivery.
///
/// Live streams receive locations and diagnostics in the order in which they occur, before the
/// delivery to the other subscribers. One pause table decides for both.
struct LocationLane: Sendable {
  typealias ID = UInt64

  struct LiveMember: Recipient {
    let channel: BoundedChannel<LocationUpdate>
    /// The member's group in the pause table; nil if the member receives every location.
    var group: PauseTable.ID?
    /// The diagnostics last reported to the member, so that each reason is reported once.
    var lastReported: LocationUpdate.Diagnostics
  }

  private(set) var subscribers = SubscriberTable<Subscriber<UpdateFilter>>()
  private(set) var live = SubscriberTable<LiveMember>()
  private(set) var pauseEvents = SubscriberTable<BoundedChannel<PauseEvent>>()
  private var pauses = PauseTable()
  private let gate: DeliveryGate

  /// The locations of the current call of the backend. Their storage is reused by the next call
  /// unless a subscriber still shares it.
  private var stagedLocations: [Location] = []
  /// True when the staged locations are in a delivery.
  private var isSealed = true
  private var stagedStamp = DeliveryStamp.unrestricted
  /// The diagnostics that live streams receive with each staged location.
  private var stagedDiagnostics: [LocationUpdate.Diagnostics] = []
  /// The number of staged locations that the live streams have received.
  private var liveCount = 0

  init(_ gate: DeliveryGate) { self.gate = gate }

  var hasLive: Bool { live.count > 0 }

  // MARK: Joining and leaving

  /// - Parameter key: The group that the subscriber joins.
  @discardableResult
  mutating func join(
    _ id: ID, _ channel: BoundedChannel<Location>, _ filter: UpdateFilter, _ key: PauseTable.Key
  ) -> Subscriber<UpdateFilter> {
    let subscriber = Subscriber(channel, filter, group: pauses.join(id, key))
    subscribers.add(subscriber, id: id)
    return subscriber
  }

  /// Adds a live stream, and first delivers the reason why there is no location, if there is one.
  ///
  /// - Parameter key: The group that the subscriber joins; nil to receive every location.
  mutating func join(
    _ id: ID, _ channel: BoundedChannel<LocationUpdate>,
    reporting diagnostics: LocationUpdate.Diagnostics, pausing key: PauseTable.Key?,
    waking wakes: inout Wakes
  ) {
    let group = key.flatMap { pauses.join(id, $0) }
    live.add(LiveMember(channel: channel, group: group, lastReported: diagnostics), id: id)
    if diagnostics.mustBeReported(after: []) {
      gate.count(channel.push([LocationUpdate(diagnostics: diagnostics)], waking: &wakes))
    }
  }

  /// Adds a stream of pauses, and first delivers the current pauses.
  mutating func join(
    _ id: ID, _ channel: BoundedChannel<PauseEvent>, waking wakes: inout Wakes
  ) {
    gate.count(channel.push(pauses.current, waking: &wakes))
    pauseEvents.add(channel, id: id)
  }

  /// Removes a subscriber and ends its channel.
  mutating func leave(_ id: ID, waking wakes: inout Wakes) {
    pauses.leave(id)
    if subscribers.end(id, waking: &wakes) || live.end(id, waking: &wakes) { return }
    pauseEvents.end(id, waking: &wakes)
  }

  // MARK: Locations

  /// The arrival of the staged locations that must be sealed before a location with another stamp;
  /// nil if there are none.
  func instantOfStaged(before stamp: DeliveryStamp) -> Duration? {
    guard stamp != stagedStamp, !isSealed else { return nil }
    return stagedLocations.first?.arrival?.instant
  }

  /// Stages a location; see ``FanOut/stage(_:arrived:_:isReduced:isStationary:to:waking:)``.
  mutating func stage(
    _ location: borrowing Location, arrived arrival: Arrival?, _ integrity: LocationIntegrity?,
    isReduced: Bool, isStationary: Bool, _ stamp: DeliveryStamp
  ) {
    assert(instantOfStaged(before: stamp) == nil, "One delivery would have two permissions.")
    stagedStamp = stamp
    if isSealed { removeStaged() }
    stagedLocations.append(copy location)
    stagedLocations[stagedLocations.count - 1].arrival = arrival
    stagedLocations[stagedLocations.count - 1].isReduced = isReduced
    if let integrity { stagedLocations[stagedLocations.count - 1].integrity = integrity }
    if !pauses.isEmpty {
      pauses.observe(stagedLocations[stagedLocations.count - 1], at: arrival?.instant ?? .zero)
    }
    guard hasLive else { return }
    var diagnostics: LocationUpdate.Diagnostics = isReduced ? .accuracyLimited : []
    if isStationary { diagnostics.insert(.stationary) }
    stagedDiagnostics.append(diagnostics)
  }

  private mutating func removeStaged() {
    // Releases the capacity of a burst, because a subscriber that lags retains the whole array.
    if stagedLocations.capacity > 2 * stagedLocations.count + 1 { stagedLocations = [] }
    stagedLocations.removeAll(keepingCapacity: true)
    stagedDiagnostics.removeAll(keepingCapacity: true)
    for move in pauses.removeStaged() {
      subscribers.update(move.member) { $0 = $0.moved(to: move.group) }
      live.update(move.member) { $0.group = move.group }
    }
    liveCount = 0
    isSealed = false
  }

  /// Copies the location that was staged last.
  func copyNewest(to location: inout Location?) {
    location = stagedLocations[stagedLocations.count - 1]
  }

  /// Returns the staged locations for their subscribers; nil if there is none.
  mutating func seal(
    at instant: Duration, waking wakes: inout Wakes
  ) -> Delivery.Reports<UpdateFilter>? {
    flushLive(waking: &wakes)
    guard !isSealed else { return nil }
    isSealed = true
    guard subscribers.count > 0 else { return nil }
    return Delivery.Reports(
      elements: stagedLocations, instant: instant, stamp: stagedStamp,
      subscribers: subscribers.members, selections: pauses.selections)
  }

  /// Delivers the staged locations to the live streams.
  mutating func flushLive(waking wakes: inout Wakes) {
    guard hasLive, !isSealed, liveCount < stagedLocations.count else { return }
    let updates = (liveCount..<stagedLocations.count).compactMap { index -> LocationUpdate? in
      guard stagedLocations[index].sourceInformation.isPreferred else { return nil }
      return LocationUpdate(location: stagedLocations[index], diagnostics: stagedDiagnostics[index])
    }
    let decisions = pauses.decisions
    // `mapValues` would allocate even for an empty dictionary.
    let groupUpdates =
      decisions.isEmpty ? [:] : decisions.mapValues { liveUpdates($0[liveCount...]) }
    liveCount = stagedLocations.count
    guard !updates.isEmpty else { return }
    var total = Tally()
    live.visit { member in
      let updates = member.group.map { groupUpdates[$0] ?? [] } ?? updates
      guard !updates.isEmpty else { return }
      // A location ends every reported reason except an unknown device: other receivers may deliver
      // locations meanwhile.
      member.lastReported.formIntersection(.deviceUnknown)
      total += member.channel.push(updates, stagedStamp, waking: &wakes)
    }
    gate.count(total)
  }

  /// The updates for the live streams of a group. Only the update with which they pause is marked
  /// as stationary.
  private func liveUpdates(
    _ actions: ArraySlice<PauseStateMachine.Action>
  ) -> [LocationUpdate] {
    actions.indices.compactMap { index in
      guard actions[index].isDelivered else { return nil }
      var diagnostics = stagedDiagnostics[index].subtracting(.stationary)
      if actions[index] == .pause { diagnostics.insert(.stationary) }
      return LocationUpdate(location: stagedLocations[index], diagnostics: diagnostics)
    }
  }

  /// Discards unread elements that permission no longer covers.
  func discardWithdrawn() -> Tally {
    var total = subscribers.discardWithdrawn()
    total += live.discardWithdrawn()
    return total
  }

  /// Reports the reasons why there is no location to the live streams, each reason once.
  mutating func notify(_ diagnostics: LocationUpdate.Diagnostics, waking wakes: inout Wakes) {
    let update = [LocationUpdate(diagnostics: diagnostics)]
    var total = Tally()
    live.visit { member in
      defer { member.lastReported = diagnostics }
      guard diagnostics.mustBeReported(after: member.lastReported) else { return }
      total += member.channel.push(update, waking: &wakes)
    }
    gate.count(total)
  }

  // MARK: Pauses

  /// Publishes the pauses and resumptions since the last call, and returns them.
  mutating func takePauses(waking wakes: inout Wakes) -> PauseTable.Changes {
    guard pauses.hasChanges else { return PauseTable.Changes() }
    let changes = pauses.takeChanges()
    if !changes.events.isEmpty {
      gate.count(pauseEvents.push(changes.events, waking: &wakes))
    }
    return changes
  }

  /// Adds, moves or removes a member of the pause table that has no subscriber in this lane.
  mutating func setPauseGroup(of member: ID, to key: PauseTable.Key?) {
    pauses.leave(member)
    if let key { _ = pauses.join(member, key) }
  }

  /// The pause table's decision for a member about the location that was staged last; nil if the
  /// member receives every location.
  func latestPauseAction(of member: ID) -> PauseStateMachine.Action? {
    pauses.isEmpty ? nil : pauses.latestAction(of: member)
  }

  /// Resumes all paused subscribers, since the positions are no longer known.
  mutating func resumePaused() { pauses.reset() }

  // MARK: Ending

  /// Ends the subscribers of locations after their buffered elements, and returns their IDs.
  mutating func endSubscribers(_ error: LocationError?, waking wakes: inout Wakes) -> [ID] {
    let ids = subscribers.endAll(error, waking: &wakes)
    for id in ids { pauses.leave(id) }
    return ids
  }

  /// Ends the live streams after their buffered elements, and returns their IDs.
  mutating func endLive(waking wakes: inout Wakes) -> [ID] {
    let ids = live.endAll(waking: &wakes)
    for id in ids { pauses.leave(id) }
    return ids
  }

  mutating func endPauseEvents(waking wakes: inout Wakes) { pauseEvents.endAll(waking: &wakes) }
}
