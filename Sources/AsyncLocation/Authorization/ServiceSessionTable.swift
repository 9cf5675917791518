/// Keeps the sessions: what each requires, and who hears what is missing.
struct ServiceSessionTable: Sendable {
  typealias Diagnostics = LocationUpdate.Diagnostics
  typealias ID = UInt64

  private struct Session: Sendable {
    let requirement: ServiceSession.AuthorizationRequirement
    let purpose: String?
    /// Whether full accuracy was asked for under the permission that holds.
    var hasAskedForAccuracy = false
    var told: Diagnostics
    var channels = SubscriberTable<BoundedChannel<Diagnostics>>()
  }

  private var sessions: [ID: Session] = [:]
  private var order: [ID] = []

  var count: Int { sessions.count }
  var longestQueue: Int {
    var longest = 0
    for var session in sessions.values {
      session.channels.visit { longest = max(longest, $0.count) }
    }
    return longest
  }
  var isEmpty: Bool { sessions.isEmpty }
  var wantsAlways: Bool { sessions.values.contains { $0.requirement == .always } }
  var wantsWhenInUse: Bool { sessions.values.contains { $0.requirement == .whenInUse } }
  /// Streams of diagnostics that are open.
  var subscribers: Int { sessions.values.reduce(0) { $0 + $1.channels.count } }

  // MARK: Sessions

  mutating func open(
    _ id: ID, _ requirement: ServiceSession.AuthorizationRequirement, purpose: String?,
    _ machine: AuthorizationStateMachine
  ) {
    sessions[id] = Session(
      requirement: requirement, purpose: purpose,
      told: Self.diagnostics(machine, requirement, purpose))
    order.append(id)
  }

  /// Ends a session and its streams, after what they hold.
  mutating func end(_ id: ID, waking wakes: inout Wakes) {
    guard var session = sessions.removeValue(forKey: id) else { return }
    order.removeAll { $0 == id }
    for channel in session.channels.removeAll() { channel.finish(waking: &wakes) }
  }

  mutating func close(waking wakes: inout Wakes) {
    for id in order { end(id, waking: &wakes) }
  }

  // MARK: Streams

  /// Joins, and hears first what is missing now. An ended session's stream is over at once.
  mutating func join(
    _ id: ID, _ channel: BoundedChannel<Diagnostics>, of session: ID, waking wakes: inout Wakes
  ) {
    guard let told = sessions[session]?.told else { return channel.finish(waking: &wakes) }
    _ = channel.push([told], waking: &wakes)
    sessions[session]?.channels.add(channel, id: id)
  }

  mutating func leave(_ id: ID, of session: ID, waking wakes: inout Wakes) {
    sessions[session]?.channels.remove(id)?.finish(waking: &wakes)
  }

  /// Tells each session's streams when what it lacks has changed.
  mutating func notify(_ machine: AuthorizationStateMachine, waking wakes: inout Wakes) {
    for id in order {
      guard var session = sessions[id] else { continue }
      let diagnostics = Self.diagnostics(machine, session.requirement, session.purpose)
      guard diagnostics != session.told else { continue }
      session.told = diagnostics
      session.channels.visit { _ = $0.push([diagnostics], waking: &wakes) }
      sessions[id] = session
    }
  }

  // MARK: Full accuracy

  /// A purpose for which a session has not asked yet.
  mutating func takePurpose() -> String? {
    for id in order where sessions[id]?.hasAskedForAccuracy == false {
      guard let purpose = sessions[id]?.purpose else { continue }
      sessions[id]?.hasAskedForAccuracy = true
      return purpose
    }
    return nil
  }

  /// Under another permission every session asks anew.
  mutating func authorizationChanged(_ machine: AuthorizationStateMachine) {
    guard !machine.status.isAuthorized else { return }
    for id in order { sessions[id]?.hasAskedForAccuracy = false }
  }

  // MARK: What is missing

  /// What a session with these requirements lacks in a state of permission. Pure.
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
