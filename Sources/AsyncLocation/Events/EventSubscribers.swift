/// An event in a subscriber's buffer, and the authorization under which it occurred.
struct QueuedEvent: Sendable {
  let event: LocationEvent
  let authorization: Authorization?
  let stamp: DeliveryStamp
}

/// The work that the hub does after it releases its lock.
struct EventOutput: Sendable {
  var wakes = Wakes()
  /// Evicted events. They may hold error values of the user, so they are released outside the lock.
  var retired: [QueuedEvent] = []
}

/// Delivers events to the streams of events, in the same order for all, and combines locations that
/// arrive together into one event.
struct EventSubscribers: Sendable {
  typealias ID = UInt64

  private struct Member: Recipient {
    let channel: BoundedChannel<QueuedEvent>
    let options: EventOptions

    func accepts(_ event: LocationEvent) -> Bool {
      if case .didChangeConnection = event { options.reportsConnection } else { true }
    }
  }

  private let gate: DeliveryGate
  private var members = SubscriberTable<Member>()
  /// The services that the manager started, for every stream.
  var started: LocationServices = []
  /// The authorization of later events.
  private var authorization: Authorization?
  /// Locations that arrived together and become one event.
  private var pending: [Location] = []
  private var pendingStamp = DeliveryStamp.unrestricted
  /// The location that was delivered before the pending locations.
  private var lastDelivered: Location?

  init(_ gate: DeliveryGate) { self.gate = gate }

  var count: Int { members.count }
  var longestQueue: Int { members.longestQueue }
  /// The number of events that each stream has missed.
  var losses: [ID: UInt64] {
    Dictionary(uniqueKeysWithValues: zip(members.ids, members.members.map(\.channel.dropped)))
  }

  /// Returns the services of all streams and the services that the manager starts.
  func services(starting started: LocationServices) -> LocationServices {
    members.members.reduce(started) { $0.union($1.options.services) }
  }

  // MARK: Joining and leaving

  /// Adds a stream and delivers its initial events.
  ///
  /// - Parameters:
  ///   - last: The last location that the stream's services reported to other streams.
  ///   - heading: The last heading, if the stream has the heading service.
  ///   - reason: The reason why there is no location, if known.
  mutating func add(
    _ id: ID, _ channel: BoundedChannel<QueuedEvent>, _ options: EventOptions,
    receiving initialEvents: [LocationEvent], last: (location: Location, stamp: DeliveryStamp)?,
    heading: Heading?, reason: LocationError?, _ output: inout EventOutput
  ) {
    flush(&output)
    let member = Member(channel: channel, options: options)
    for event in initialEvents where member.accepts(event) {
      deliver(event, to: member, .unrestricted, &output)
    }
    if let last { deliver(last.location, from: nil, to: member, last.stamp, &output) }
    if let heading { deliver(heading, to: member, &output) }
    if let reason { deliver(.didFailWithError(reason), to: member, .unrestricted, &output) }
    members.add(member, id: id)
  }

  /// Removes a stream and ends its channel. Returns false if there is none.
  mutating func remove(_ id: ID, _ output: inout EventOutput) -> Bool {
    members.end(id, waking: &output.wakes)
  }

  /// Ends the streams that started services.
  mutating func removeStreamsWithServices(_ output: inout EventOutput) {
    for (id, member) in zip(members.ids, members.members) where !member.options.services.isEmpty {
      _ = remove(id, &output)
    }
  }

  mutating func removeAll(_ output: inout EventOutput) {
    flush(&output)
    members.endAll(waking: &output.wakes)
  }

  // MARK: Delivery

  /// Sets the authorization of later events.
  mutating func setAuthorization(_ authorization: Authorization?, _ output: inout EventOutput) {
    flush(&output)
    self.authorization = authorization
  }

  /// Adds a location to the pending locations, which become one event.
  mutating func stage(
    _ location: Location, _ stamp: DeliveryStamp, _ output: inout EventOutput
  ) {
    if stamp != pendingStamp { flush(&output) }
    pendingStamp = stamp
    pending.append(location)
  }

  /// Delivers the pending locations.
  mutating func flush(_ output: inout EventOutput) {
    guard !pending.isEmpty else { return }
    let (locations, before) = (pending, lastDelivered)
    lastDelivered = pending.last
    pending = []
    for member in members.members where receives(member, .locations) {
      guard member.options.reportsPreviousLocation else {
        deliver(.didUpdateLocations(locations), to: member, pendingStamp, &output)
        continue
      }
      var previous = before
      for location in locations {
        deliver(.didUpdateTo(location, from: previous), to: member, pendingStamp, &output)
        previous = location
      }
    }
  }

  /// Delivers an event after the pending locations, to the streams with a service, or to all
  /// streams if none is passed.
  ///
  /// - Parameter share: With `half`, a stream whose buffer is half full drops the event.
  mutating func emit(
    _ event: LocationEvent, of service: LocationServices = [],
    stamp: DeliveryStamp = .unrestricted, filling share: BufferShare = .all,
    _ output: inout EventOutput
  ) {
    flush(&output)
    for member in members.members where receives(member, service) && member.accepts(event) {
      deliver(event, to: member, stamp, filling: share, &output)
    }
  }

  /// Delivers a significant change after the pending locations, to the streams with that service.
  mutating func emitSignificantChange(
    _ location: Location, from previous: Location?, stamp: DeliveryStamp,
    _ output: inout EventOutput
  ) {
    flush(&output)
    for member in members.members where receives(member, .significantLocationChanges) {
      deliver(location, from: previous, to: member, stamp, &output)
    }
  }

  /// Delivers a location after the pending locations, to the streams without any of the given
  /// services.
  mutating func emit(
    _ location: Location, toStreamsWithout services: LocationServices, stamp: DeliveryStamp,
    _ output: inout EventOutput
  ) {
    flush(&output)
    for member in members.members
    where self.services(of: member).isDisjoint(with: services) {
      deliver(location, from: nil, to: member, stamp, &output)
    }
  }

  /// Delivers a heading after the pending locations, to the streams without any of the given
  /// services.
  mutating func emit(
    _ heading: Heading, toStreamsWithout services: LocationServices, _ output: inout EventOutput
  ) {
    flush(&output)
    for member in members.members
    where self.services(of: member).isDisjoint(with: services) {
      deliver(heading, to: member, &output)
    }
  }

  /// Clears the location that was delivered last.
  mutating func forgetLocations() { lastDelivered = nil }

  /// Discards unread events that permission no longer covers.
  ///
  /// - Returns: The tally of the discarded events.
  mutating func discardWithdrawn(_ output: inout EventOutput) -> Tally {
    // Pending locations are delivered first, so that the tally counts them for each stream.
    flush(&output)
    return members.discardWithdrawn()
  }

  /// The services whose events a stream receives: its own services and the services that the
  /// manager started.
  private func services(of member: Member) -> LocationServices {
    member.options.services.union(started)
  }

  /// Whether a stream receives the events of a service. A stream with the location service receives
  /// no significant changes.
  private func receives(_ member: Member, _ service: LocationServices) -> Bool {
    let own = services(of: member)
    if service == .significantLocationChanges, own.contains(.locations) { return false }
    return own.isSuperset(of: service)
  }

  private func deliver(
    _ location: Location, from previous: Location?, to member: Member, _ stamp: DeliveryStamp,
    _ output: inout EventOutput
  ) {
    let event: LocationEvent =
      member.options.reportsPreviousLocation
      ? .didUpdateTo(location, from: previous) : .didUpdateLocations([location])
    deliver(event, to: member, stamp, &output)
  }

  private func deliver(
    _ heading: Heading, to member: Member, _ output: inout EventOutput
  ) {
    deliver(.didUpdateHeading(heading), to: member, gate.stamp(isPrecise: true), &output)
  }

  private func deliver(
    _ event: LocationEvent, to member: Member, _ stamp: DeliveryStamp,
    filling share: BufferShare = .all, _ output: inout EventOutput
  ) {
    let queued = [QueuedEvent(event: event, authorization: authorization, stamp: stamp)]
    gate.count(
      member.channel.push(
        queued, ElementRuns(queued.indices), stamp, filling: share, waking: &output.wakes,
        retire: { output.retired += $0.elements }))
  }
}
