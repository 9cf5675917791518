/// Stores the subscribers and stages reports for them.
///
/// States, diagnostics and the locations of live streams enter the channels immediately, in the
/// order in which they occur. Locations, headings, satellite views and beacons are delivered later
/// by a ``Delivery``.
struct FanOut: Sendable {
  typealias ID = UInt64

  enum Stream: Hashable, Sendable {
    case locations, headings, satellites, beacons, live, connections, authorizations, pauses
    /// Changes of permission, also after the end of the manager.
    case permission
    /// Events; the event feed stores their subscribers.
    case events
  }

  var locations: LocationLane
  var headings = ReportLane<HeadingFilter>()
  var satellites = ReportLane<PreferredFilter<SatelliteView>>()
  var beacons = ReportLane<PreferredFilter<ArrivedBeacons>>()
  private var connections = SubscriberTable<BoundedChannel<ConnectionState>>()
  private var authorizations = SubscriberTable<BoundedChannel<Authorization>>()
  private var followers = SubscriberTable<BoundedChannel<FollowedPermission>>()
  /// Whether the streams of states have ended. From then on, followers of permission do not count
  /// as subscribers.
  private var isOver = false

  /// Decides which elements may still be read, and counts deliveries and drops.
  let gate: DeliveryGate

  init(_ gate: DeliveryGate = DeliveryGate()) {
    self.gate = gate
    locations = LocationLane(gate)
  }

  var subscribers: Int {
    locations.subscribers.count + locations.live.count + locations.pauseEvents.count
      + headings.subscribers.count + satellites.subscribers.count + beacons.subscribers.count
      + connections.count + authorizations.count + (isOver ? 0 : followers.count)
  }

  /// The largest number of elements buffered for any subscriber.
  var longestQueue: Int {
    max(
      locations.subscribers.longestQueue, locations.live.longestQueue,
      locations.pauseEvents.longestQueue, headings.subscribers.longestQueue,
      satellites.subscribers.longestQueue, beacons.subscribers.longestQueue,
      connections.longestQueue, authorizations.longestQueue, followers.longestQueue)
  }

  // MARK: Joining and leaving

  mutating func join(_ id: ID, _ channel: BoundedChannel<ConnectionState>) {
    connections.add(channel, id: id)
  }

  mutating func join(_ id: ID, _ channel: BoundedChannel<Authorization>) {
    authorizations.add(channel, id: id)
  }

  mutating func join(_ id: ID, _ channel: BoundedChannel<FollowedPermission>) {
    followers.add(channel, id: id)
  }

  /// Removes a subscriber and ends its channel.
  mutating func leave(_ id: ID, _ stream: Stream, waking wakes: inout Wakes) {
    switch stream {
    case .locations, .live, .pauses: locations.leave(id, waking: &wakes)
    case .headings: headings.leave(id, waking: &wakes)
    case .satellites: satellites.leave(id, waking: &wakes)
    case .beacons: beacons.leave(id, waking: &wakes)
    case .connections: connections.end(id, waking: &wakes)
    case .authorizations: authorizations.end(id, waking: &wakes)
    case .permission: followers.end(id, waking: &wakes)
    case .events: break
    }
  }

  // MARK: Reports

  /// Stages a location.
  ///
  /// - Parameters:
  ///   - integrity: The assessment; nil to leave that of the location.
  ///   - isReduced: Whether accuracy is reduced.
  ///   - isStationary: Whether the receiver is stationary.
  ///   - deliveries: Receives the reports that were staged under another permission.
  ///   - wakes: Receives the consumers of live streams to wake.
  mutating func stage(
    _ location: borrowing Location, arrived arrival: Arrival? = nil,
    _ integrity: LocationIntegrity? = nil, isReduced: Bool = false, isStationary: Bool = false,
    to deliveries: inout Deliveries, waking wakes: inout Wakes
  ) {
    let stamp = gate.stamp(isPrecise: !isReduced)
    if let instant = locations.instantOfStaged(before: stamp) {
      seal(at: instant, to: &deliveries, waking: &wakes)
    }
    locations.stage(
      location, arrived: arrival, integrity, isReduced: isReduced, isStationary: isStationary, stamp
    )
  }

  /// Moves the staged reports into a delivery, which is appended to `deliveries`.
  mutating func seal(
    at instant: Duration, to deliveries: inout Deliveries, waking wakes: inout Wakes
  ) {
    let stamp = gate.stamp(isPrecise: true)
    var delivery = Delivery()
    delivery.locations = locations.seal(at: instant, waking: &wakes)
    delivery.headings = headings.seal(at: instant, stamp)
    delivery.satellites = satellites.seal(at: instant, stamp)
    delivery.beacons = beacons.seal(at: instant, stamp)
    if !delivery.isEmpty { deliveries.append(delivery) }
  }

  /// Withdraws delivered but unread elements. Called before the change of permission is visible.
  ///
  /// - Parameter preciseOnly: True when coarse locations may still be read.
  mutating func withdraw(preciseOnly: Bool) {
    gate.withdraw(preciseOnly: preciseOnly)
    var total = locations.discardWithdrawn()
    total += headings.subscribers.discardWithdrawn()
    total += satellites.subscribers.discardWithdrawn()
    total += beacons.subscribers.discardWithdrawn()
    gate.count(total)
  }

  // MARK: State changes

  /// - Parameter retired: Receives the evicted states. They may contain errors of the program, so
  ///   they are released after the lock.
  mutating func publish(
    _ state: ConnectionState, waking wakes: inout Wakes, retiring retired: inout [ConnectionState]
  ) {
    let states = [state]
    var total = Tally()
    for channel in connections.members {
      total += channel.push(
        states, ElementRuns(states.indices), .unrestricted, waking: &wakes,
        retire: { retired += $0.elements })
    }
    gate.count(total)
  }

  mutating func publish(_ authorization: Authorization, waking wakes: inout Wakes) {
    gate.count(authorizations.push([authorization], waking: &wakes))
    notifyFollowers(authorization, waking: &wakes)
  }

  /// Notifies followers of a change of permission, or of the manager's shutdown.
  mutating func notifyFollowers(_ authorization: Authorization, waking wakes: inout Wakes) {
    let followed = [FollowedPermission(authorization: authorization, isOver: isOver)]
    let tally = followers.push(followed, waking: &wakes)
    if !isOver { gate.count(tally) }
  }

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
    locations.endSubscribers(error, waking: &wakes)
      + headings.endSubscribers(error, waking: &wakes)
      + satellites.endSubscribers(error, waking: &wakes)
      + beacons.endSubscribers(error, waking: &wakes)
  }

  /// Ends the streams of states after their buffered elements.
  mutating func endStates(waking wakes: inout Wakes) {
    isOver = true
    connections.endAll(waking: &wakes)
    authorizations.endAll(waking: &wakes)
    locations.endPauseEvents(waking: &wakes)
  }
}
