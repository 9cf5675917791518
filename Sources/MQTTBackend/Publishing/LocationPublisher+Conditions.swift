public import AsyncLocation
import FoundationEssentials
import OwnTracks

extension LocationPublisher {
  /// Publishes the entry into the area of a condition or the exit from it, as an OwnTracks
  /// transition.
  ///
  /// Call this method in a loop over ``/AsyncLocation/Monitor/events``. A monitor regards an event
  /// as handled when the loop requests the next one. This method stores the transition before it
  /// returns, so no event is lost. With reduced accuracy, the transition does not contain the
  /// position. An exit that was detected only when monitoring continued after a suspension is
  /// published if this publisher has published the entry.
  ///
  /// - Returns: False for an event that is neither an entry nor an exit, for example because a
  ///   condition is not monitored. Nothing is published then.
  /// - Throws: As ``publish(_:isRetained:)``.
  @discardableResult
  public func publish(_ event: Monitor.Event) async throws(LocationError) -> Bool {
    let run = try running()
    let identifier = ExactText(event.identifier)
    if event.beginsAnew { run.forgetEntry(of: identifier) }
    let hasEntered = { @Sendable in run.entered.withLock { $0[identifier] != nil } }
    guard let transition = TransitionMessage(event, hasEntered: hasEntered()) else { return false }
    // The entry may be deleted while the call waits.
    let needsEntry = TransitionMessage(event) == nil
    return try await run.publish(
      .transition(transition), onlyIf: { !needsEntry || hasEntered() },
      apply: { number, generation in
        switch transition.event {
        case .enter: run.remember(entry: number, of: identifier, storedUnder: generation)
        case .leave: run.forgetEntry(of: identifier)
        }
      })
  }

  /// Publishes the areas that the device monitors, as retained OwnTracks waypoints.
  ///
  /// OwnTracks supports only circles.
  ///
  /// - Parameter conditions: The conditions by their identifiers. The first 1,000 circles are
  ///   published, in the order of the identifiers.
  /// - Returns: The sorted identifiers of the conditions that were not published.
  /// - Throws: As ``publish(_:isRetained:)``.
  @discardableResult
  public func publish(
    waypoints conditions: [String: Condition]
  ) async throws(LocationError) -> [String] {
    let now = Date()
    var waypoints: [WaypointMessage] = []
    var others: [String] = []
    for (identifier, condition) in conditions.sorted(by: { $0.key < $1.key }) {
      if case .circle(let circle) = condition.subject,
        waypoints.count < WaypointsMessage.maximumCount
      {
        waypoints.append(
          WaypointMessage(
            identifier, time: now, coordinate: circle.center, radius: circle.radius))
      } else {
        others.append(identifier)
      }
    }
    try await publish(.waypoints(WaypointsMessage(waypoints)), isRetained: true)
    return others
  }
}

extension PublisherRun {
  /// The maximum number of conditions whose entry is remembered.
  private static var enteredLimit: Int { 100_000 }

  /// Remembers an entry that is being stored, unless everything was deleted meanwhile.
  fileprivate func remember(entry: UInt64, of condition: ExactText, storedUnder generation: UInt64)
  {
    // The entry is followed first: a later deletion then forgets it, too, unless the broker has
    // received it.
    delivery.follow(entry)
    let forgotten = state.withLock { state -> UInt64? in
      guard state.permission.generation == generation else { return entry }
      return entered.withLock { entered in
        guard entered[condition] != nil || entered.count < Self.enteredLimit else { return entry }
        return entered.updateValue(entry, forKey: condition)
      }
    }
    if let forgotten { delivery.unfollow(forgotten) }
  }

  fileprivate func forgetEntry(of condition: ExactText) {
    if let entry = entered.withLock({ $0.removeValue(forKey: condition) }) {
      delivery.unfollow(entry)
    }
  }
}

extension Monitor.Event {
  /// Whether the condition's previous state no longer applies: the condition is new, or has
  /// expired.
  fileprivate var beginsAnew: Bool {
    previousState == .unknown || diagnostics.contains(.conditionExpired)
  }
}

extension TransitionMessage {
  /// Nil for an event that is neither an entry nor an exit.
  ///
  /// - Parameter hasEntered: Whether an entry was published without an exit after it.
  init?(_ event: Monitor.Event, hasEntered: Bool = false) {
    let kind: Event
    switch (event.previousState, event.state) {
    case (_, .satisfied): kind = .enter
    case (.satisfied, .unsatisfied): kind = .leave
    case (.unmonitored, .unsatisfied) where hasEntered: kind = .leave
    case (_, .unsatisfied), (_, .unknown), (_, .unmonitored): return nil
    }
    self.init(
      kind, time: event.date, coordinate: event.location?.coordinate, name: event.identifier)
    horizontalAccuracy = event.location?.horizontalAccuracy
  }
}
