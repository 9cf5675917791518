/// Holds the subscribers and stages reports for them.
///
/// States, diagnostics and the locations of live streams enter the channels immediately, in the
/// order in which they occur. Locations, headings and satellite views are delivered later by a
/// ``Delivery``.
struct FanOut: Sendable {
  typealias ID = UInt64

  enum Stream: Hashable, Sendable {
    case locations, headings, satellites, beacons, live, connections, authorizations, pauses
    /// Of those that follow permission beyond the end of the manager.
    case permission
    /// Held by the feed of events.
    case events
  }

  private struct LiveMember: Sendable {
    let channel: BoundedChannel<LocationUpdate>
    /// The group of the pause table that it belongs to; nil if it receives every location.
    var group: PauseTable.ID?
    /// The diagnostics last reported to it, so that each reason is reported once.
    var lastReported: LocationUpdate.Diagnostics
  }

  private var locations = SubscriberTable<Subscriber<UpdateFilter>>()
  private var headings = SubscriberTable<Subscriber<HeadingFilter>>()
  private var satellites = SubscriberTable<Subscriber<PreferredFilter<SatelliteView>>>()
  private var beacons = SubscriberTable<Subscriber<PreferredFilter<ArrivedBeacons>>>()
  private var live = SubscriberTable<LiveMember>()
  private var connections = SubscriberTable<BoundedChannel<ConnectionState>>()
  private var authorizations = SubscriberTable<BoundedChannel<Authorization>>()
  private var followers = SubscriberTable<BoundedChannel<FollowedPermission>>()
  /// Whether the streams of states have ended. Followers are no streams of the program then.
  private var isOver = false
  private var pauseEvents = SubscriberTable<BoundedChannel<PauseEvent>>()
  private var pauses = PauseTable()

  /// Decides which elements may still be read, and counts.
  let gate: DeliveryGate

  /// The locations of this call of the backend. Their storage is reused by the next call unless a
  /// subscriber still shares it.
  private var stagedLocations: [Location] = []
  /// True when the staged locations are in a delivery.
  private var isSealed = true
  private var stagedStamp = DeliveryStamp.unrestricted
  /// The diagnostics that live streams receive with each staged location.
  private var stagedDiagnostics: [LocationUpdate.Diagnostics] = []
  /// The number of staged locations that the live streams have received.
  private var liveCount = 0
  private var stagedHeadings: [Heading] = []
  private var stagedSatellites: [SatelliteView] = []
  private var stagedBeacons: [ArrivedBeacons] = []

  init(_ gate: DeliveryGate = DeliveryGate()) { self.gate = gate }

  var hasLive: Bool { live.count > 0 }

  var subscribers: Int {
    locations.count + headings.count + satellites.count + beacons.count + live.count
      + connections.count + authorizations.count + (isOver ? 0 : followers.count)
      + pauseEvents.count
  }

  /// The largest number of elements buffered for any subscriber.
  var longestQueue: Int {
    [
      locations.members.map(\.channel.count).max(), headings.members.map(\.channel.count).max(),
      satellites.members.map(\.channel.count).max(), beacons.members.map(\.channel.count).max(),
      live.members.map(\.channel.count).max(),
      connections.members.map(\.count).max(), authorizations.members.map(\.count).max(),
      followers.members.map(\.count).max(), pauseEvents.members.map(\.count).max(),
    ].compactMap { $0 }.max() ?? 0
  }

  // MARK: Joining and leaving

  /// - Parameter key: The group that it joins.
  @discardableResult
  mutating func join(
    _ id: ID, _ channel: BoundedChannel<Location>, _ filter: UpdateFilter,
    _ key: PauseTable.Key = .init(.other, pauses: false)
  ) -> Subscriber<UpdateFilter> {
    let subscriber = Subscriber(channel, filter, group: pauses.join(id, key))
    locations.add(subscriber, id: id)
    return subscriber
  }

  mutating func join(_ id: ID, _ channel: BoundedChannel<Heading>, _ filter: HeadingFilter) {
    headings.add(Subscriber(channel, filter), id: id)
  }

  mutating func join(_ id: ID, _ channel: BoundedChannel<SatelliteView>) {
    satellites.add(Subscriber(channel, PreferredFilter()), id: id)
  }

  mutating func join(_ id: ID, _ channel: BoundedChannel<ArrivedBeacons>) {
    beacons.add(Subscriber(channel, PreferredFilter()), id: id)
  }

  /// Joins, and first delivers the reason why there is no location, if there is one.
  ///
  /// - Parameter key: The group that it joins; nil to receive every location.
  mutating func join(
    _ id: ID, _ channel: BoundedChannel<LocationUpdate>,
    reporting diagnostics: LocationUpdate.Diagnostics,
    pausing key: PauseTable.Key? = nil,
    waking wakes: inout Wakes
  ) {
    let group = key.flatMap { pauses.join(id, $0) }
    live.add(LiveMember(channel: channel, group: group, lastReported: diagnostics), id: id)
    if diagnostics.mustBeReported(after: []) {
      notify(LocationUpdate(diagnostics: diagnostics), channel, waking: &wakes)
    }
  }

  mutating func join(_ id: ID, _ channel: BoundedChannel<ConnectionState>) {
    connections.add(channel, id: id)
  }

  mutating func join(_ id: ID, _ channel: BoundedChannel<Authorization>) {
    authorizations.add(channel, id: id)
  }

  mutating func join(_ id: ID, _ channel: BoundedChannel<FollowedPermission>) {
    followers.add(channel, id: id)
  }

  /// Joins, and first delivers the current pauses.
  mutating func join(
    _ id: ID, _ channel: BoundedChannel<PauseEvent>, waking wakes: inout Wakes
  ) {
    gate.count(channel.push(pauses.current, waking: &wakes))
    pauseEvents.add(channel, id: id)
  }

  /// Removes a subscriber and ends its channel.
  mutating func leave(_ id: ID, _ stream: Stream, waking wakes: inout Wakes) {
    pauses.leave(id)
    switch stream {
    case .locations: locations.remove(id)?.channel.finish(waking: &wakes)
    case .headings: headings.remove(id)?.channel.finish(waking: &wakes)
    case .satellites: satellites.remove(id)?.channel.finish(waking: &wakes)
    case .beacons: beacons.remove(id)?.channel.finish(waking: &wakes)
    case .live: live.remove(id)?.channel.finish(waking: &wakes)
    case .connections: connections.remove(id)?.finish(waking: &wakes)
    case .authorizations: authorizations.remove(id)?.finish(waking: &wakes)
    case .permission: followers.remove(id)?.finish(waking: &wakes)
    case .pauses: pauseEvents.remove(id)?.finish(waking: &wakes)
    case .events: break
    }
  }

  // MARK: Reports

  /// Stages a location.
  ///
  /// - Parameters:
  ///   - isReduced: Whether accuracy is reduced.
  ///   - isStationary: Whether the receiver is stationary.
  ///   - deliveries: Receives the locations that were staged under another permission.
  ///   - wakes: Receives the consumers of live streams to wake.
  mutating func stage(
    _ location: borrowing Location, arrived arrival: Arrival? = nil, isReduced: Bool = false,
    isStationary: Bool = false, to deliveries: inout Deliveries, waking wakes: inout Wakes
  ) {
    let stamp = gate.stamp(isPrecise: !isReduced)
    if stamp != stagedStamp {
      if !isSealed, let instant = stagedLocations.first?.arrival?.instant {
        seal(at: instant, to: &deliveries, waking: &wakes)
      }
      stagedStamp = stamp
    }
    if isSealed { removeStaged() }
    stagedLocations.append(copy location)
    stagedLocations[stagedLocations.count - 1].arrival = arrival
    stagedLocations[stagedLocations.count - 1].isReduced = isReduced
    if !pauses.isEmpty {
      pauses.observe(stagedLocations[stagedLocations.count - 1], at: arrival?.instant ?? .zero)
    }
    guard hasLive else { return }
    var diagnostics: LocationUpdate.Diagnostics = isReduced ? .accuracyLimited : []
    if isStationary { diagnostics.insert(.stationary) }
    stagedDiagnostics.append(diagnostics)
  }

  private mutating func removeStaged() {
    // Releases the capacity of a burst: a subscriber that lags keeps the whole array alive.
    if stagedLocations.capacity > 2 * stagedLocations.count + 1 { stagedLocations = [] }
    stagedLocations.removeAll(keepingCapacity: true)
    stagedDiagnostics.removeAll(keepingCapacity: true)
    for move in pauses.removeStaged() {
      locations.update(move.member) { $0 = $0.moved(to: move.group) }
      live.update(move.member) { $0.group = move.group }
    }
    liveCount = 0
    isSealed = false
  }

  /// Copies the location that was staged last.
  func copyNewest(to location: inout Location?) {
    location = stagedLocations[stagedLocations.count - 1]
  }

  mutating func stage(_ heading: Heading) { stagedHeadings.append(heading) }
  mutating func stage(_ view: SatelliteView) { stagedSatellites.append(view) }
  mutating func stage(_ beacons: ArrivedBeacons) { stagedBeacons.append(beacons) }

  /// Creates a delivery of the staged reports.
  mutating func seal(
    at instant: Duration, to deliveries: inout Deliveries, waking wakes: inout Wakes
  ) {
    flushLive(waking: &wakes)
    var delivery = Delivery()
    if !isSealed, locations.count > 0 {
      delivery.locations = Delivery.Reports(
        elements: stagedLocations, instant: instant, stamp: stagedStamp,
        subscribers: locations.members,
        selections: pauses.selections)
    }
    if !stagedHeadings.isEmpty {
      delivery.headings = Delivery.Reports(
        elements: stagedHeadings, instant: instant, stamp: gate.stamp(isPrecise: true),
        subscribers: headings.members)
      stagedHeadings = []
    }
    if !stagedSatellites.isEmpty {
      delivery.satellites = Delivery.Reports(
        elements: stagedSatellites, instant: instant, stamp: gate.stamp(isPrecise: true),
        subscribers: satellites.members)
      stagedSatellites = []
    }
    if !stagedBeacons.isEmpty {
      delivery.beacons = Delivery.Reports(
        elements: stagedBeacons, instant: instant, stamp: gate.stamp(isPrecise: true),
        subscribers: beacons.members)
      stagedBeacons = []
    }
    if !delivery.isEmpty { deliveries.append(delivery) }
    isSealed = true
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
    let ofGroups = decisions.isEmpty ? [:] : decisions.mapValues { liveUpdates($0[liveCount...]) }
    liveCount = stagedLocations.count
    guard !updates.isEmpty else { return }
    var total = Tally()
    live.visit { member in
      let updates = member.group.map { ofGroups[$0] ?? [] } ?? updates
      guard !updates.isEmpty else { return }
      member.lastReported.formIntersection(.deviceUnknown)
      total += member.channel.push(updates, stagedStamp, waking: &wakes)
    }
    gate.count(total)
  }

  /// The updates for the live streams of a group. Only the one with which they pause is marked as
  /// stationary.
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

  /// Withdraws delivered but unread elements. Called before the change of permission is visible.
  ///
  /// - Parameter preciseOnly: True when coarse locations may still be read.
  mutating func withdraw(preciseOnly: Bool) {
    gate.withdraw(preciseOnly: preciseOnly)
    var total = Tally()
    // Not `visit`, which would copy the members while a delivery shares them.
    for member in locations.members { total += member.channel.discardWithdrawn() }
    for member in headings.members { total += member.channel.discardWithdrawn() }
    for member in satellites.members { total += member.channel.discardWithdrawn() }
    for member in beacons.members { total += member.channel.discardWithdrawn() }
    for member in live.members { total += member.channel.discardWithdrawn() }
    gate.count(total)
  }

  // MARK: State changes

  /// Reports to the live streams why there is no location, each reason once.
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

  /// - Parameter retired: Receives the evicted states. They may hold errors of the user, so they
  ///   are freed after the lock is released.
  mutating func publish(
    _ state: ConnectionState, waking wakes: inout Wakes, retiring retired: inout [ConnectionState]
  ) {
    let states = [state]
    var total = Tally()
    connections.visit { channel in
      total += channel.push(
        states, ElementRuns(states.indices), .unrestricted, waking: &wakes,
        retire: { retired += $0.elements })
    }
    gate.count(total)
  }

  mutating func publish(_ authorization: Authorization, waking wakes: inout Wakes) {
    let elements = [authorization]
    var total = Tally()
    authorizations.visit { total += $0.push(elements, waking: &wakes) }
    gate.count(total)
    notifyFollowers(authorization, waking: &wakes)
  }

  /// Notifies those that follow permission of a change, or of the end.
  mutating func notifyFollowers(_ authorization: Authorization, waking wakes: inout Wakes) {
    let followed = [FollowedPermission(authorization: authorization, isOver: isOver)]
    var total = Tally()
    followers.visit { total += $0.push(followed, waking: &wakes) }
    if !isOver { gate.count(total) }
  }

  /// Publishes the pauses and resumptions since the last call, and returns them.
  mutating func takePauses(waking wakes: inout Wakes) -> PauseTable.Changes {
    guard pauses.hasChanges else { return PauseTable.Changes() }
    let changes = pauses.takeChanges()
    if !changes.events.isEmpty {
      var total = Tally()
      pauseEvents.visit { total += $0.push(changes.events, waking: &wakes) }
      gate.count(total)
    }
    return changes
  }

  /// Adds, moves or removes the member of the pause table that has no subscriber here.
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

  /// Delivers one element to one new subscriber.
  func notify<Element>(
    _ element: Element, _ channel: BoundedChannel<Element>, _ stamp: DeliveryStamp = .unrestricted,
    waking wakes: inout Wakes
  ) {
    gate.count(channel.push([element], stamp, waking: &wakes))
  }

  // MARK: Ending

  /// Ends the streams of reports after their buffered elements, and returns their identifiers.
  mutating func endReports(_ error: LocationError?, waking wakes: inout Wakes) -> [ID] {
    let ids = locations.ids + headings.ids + satellites.ids + beacons.ids
    for id in locations.ids { pauses.leave(id) }
    for member in locations.removeAll() { member.channel.finish(error, waking: &wakes) }
    for member in headings.removeAll() { member.channel.finish(error, waking: &wakes) }
    for member in satellites.removeAll() { member.channel.finish(error, waking: &wakes) }
    for member in beacons.removeAll() { member.channel.finish(error, waking: &wakes) }
    return ids
  }

  /// Ends the live streams after their buffered elements, and returns their identifiers.
  mutating func endLive(waking wakes: inout Wakes) -> [ID] {
    let ids = live.ids
    for id in ids { pauses.leave(id) }
    for member in live.removeAll() { member.channel.finish(waking: &wakes) }
    return ids
  }

  /// Ends the streams of states after their buffered elements.
  mutating func endStates(waking wakes: inout Wakes) {
    isOver = true
    for channel in connections.removeAll() { channel.finish(waking: &wakes) }
    for channel in authorizations.removeAll() { channel.finish(waking: &wakes) }
    for channel in pauseEvents.removeAll() { channel.finish(waking: &wakes) }
  }
}
