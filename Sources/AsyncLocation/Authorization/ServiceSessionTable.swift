/// Stores the service sessions, their requirements and the streams of their diagnostics.
struct ServiceSessionTable: Sendable {
  typealias Diagnostics = LocationUpdate.Diagnostics
  typealias ID = UInt64

  private struct Session: Sendable {
    let requirement: ServiceSession.AuthorizationRequirement
    let purpose: String?
    /// Whether full accuracy was requested under the current permission.
    var hasAskedForAccuracy = false
    /// The last diagnostics that were sent to the session's streams.
    var reported: Diagnostics
    var channels = SubscriberTable<BoundedChannel<Diagnostics>>()
  }

  private var sessions: [ID: Session] = [:]
  /// The sessions in the order in which they were opened.
  private var order: [ID] = []

  var count: Int { sessions.count }
  var longestQueue: Int { sessions.values.reduce(0) { max($0, $1.channels.longestQueue) } }
  var isEmpty: Bool { sessions.isEmpty }
  var wantsAlways: Bool { sessions.values.contains { $0.requirement == .always } }
  var wantsWhenInUse: Bool { sessions.values.contains { $0.requirement == .whenInUse } }
  /// The number of open streams of diagnostics.
  var subscribers: Int { sessions.values.reduce(0) { $0 + $1.channels.count } }

  // MARK: Sessions

  mutating func open(
    _ id: ID, _ requirement: ServiceSession.AuthorizationRequirement, purpose: String?,
    _ machine: AuthorizationStateMachine
  ) {
    sessions[id] = Session(
      requirement: requirement, purpose: purpose,
      reported: Self.diagnostics(machine, requirement, purpose))
    order.append(id)
  }

  /// Ends a session and its streams; buffered elements stay readable.
  mutating func end(_ id: ID, waking wakes: inout Wakes) {
    guard var session = sessions.removeValue(forKey: id) else { return }
    order.removeAll { $0 == id }
    session.channels.endAll(waking: &wakes)
  }

  mutating func close(waking wakes: inout Wakes) {
    for id in order { end(id, waking: &wakes) }
  }

  // MARK: Streams

  /// Adds a stream and sends it the current diagnostics. The stream of an ended session finishes at
  /// once.
  mutating func join(
    _ id: ID, _ channel: BoundedChannel<Diagnostics>, of session: ID, waking wakes: inout Wakes
  ) {
    guard let reported = sessions[session]?.reported else { return channel.finish(waking: &wakes) }
    _ = channel.push([reported], waking: &wakes)
    sessions[session]?.channels.add(channel, id: id)
  }

  mutating func leave(_ id: ID, of session: ID, waking wakes: inout Wakes) {
    sessions[session]?.channels.end(id, waking: &wakes)
  }

  /// Sends each session's diagnostics to its streams if the diagnostics have changed.
  mutating func notify(_ machine: AuthorizationStateMachine, waking wakes: inout Wakes) {
    for id in order {
      guard var session = sessions[id] else { continue }
      let diagnostics = Self.diagnostics(machine, session.requirement, session.purpose)
      guard diagnostics != session.reported else { continue }
      session.reported = diagnostics
      _ = session.channels.push([diagnostics], waking: &wakes)
      sessions[id] = session
    }
  }

  // MARK: Full accuracy

  /// Returns the next purpose not yet requested, and marks it as requested.
  mutating func takePurpose() -> String? {
    for id in order where sessions[id]?.hasAskedForAccuracy == false {
      guard let purpose = sessions[id]?.purpose else { continue }
      // One request serves all sessions with its purpose.
      for id in order where sessions[id]?.purpose == purpose {
        sessions[id]?.hasAskedForAccuracy = true
      }
      return purpose
    }
    return nil
  }

  /// Allows every session to request full accuracy again if permission is no longer granted.
  mutating func authorizationChanged(_ machine: AuthorizationStateMachine) {
    guard !machine.status.isAuthorized else { return }
    for id in order { sessions[id]?.hasAskedForAccuracy = false }
  }

  // MARK: Diagnostics

  /// The requirements of a session that the current permission does not meet. Pure.
  static func diagnostics(
    _ machine: AuthorizationStateMachine, _ requirement: ServiceSession.AuthorizationRequirement,
    _ purpose: String?
  ) -> Diagnostics {
    var diagnostics = Diagnostics(machine)
    guard machine.status.isAuthorized else { return diagnostics }
    if requirement == .always, machine.status != .authorizedAlways {
      diagnostics.insert(
        machine.question == .always
          ? .authorizationRequestInProgress : .alwaysAuthorizationDenied)
    }
    if let purpose, machine.accuracy == .reduced {
      diagnostics.insert(
        machine.fullAccuracyQuestions.contains(purpose)
          ? .authorizationRequestInProgress : .fullAccuracyDenied)
    }
    return diagnostics
  }
}
