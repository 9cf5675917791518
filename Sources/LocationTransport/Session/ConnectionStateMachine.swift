package import AsyncLocation

/// Decides when a run connects to its server, when it tries again, and when it ends, for any kind
/// of link. Performs no I/O.
///
/// The link decides about each connection. The link and this machine share a single timer: a new
/// deadline replaces the current one.
package struct ConnectionStateMachine<Link: LinkStateMachine>: Sendable {
  package enum Event: Hashable, Sendable {
    case started
    case link(Link.Event)
    case timerFired
    case stopped
  }

  package enum Action: Hashable, Sendable {
    case link(Link.Action)
    /// Sets the only timer, replacing its current deadline.
    case arm(at: Duration)
    case disarm
    /// Closes the connection or cancels the attempt, whose later events are ignored.
    case close
    case report(ConnectionState)
    /// Reports that no receiver sends reports.
    case reportUnavailable(LocationError)
    /// Reports that the source refuses access, with a status that is `denied` or `restricted`.
    case reportRefusal(AuthorizationStatus)
    /// Ends the run successfully with the list of receivers.
    case finish([Receiver])
    case fail(LocationError)
    /// Ends the run because it was stopped.
    case end
  }

  private enum State {
    case idle
    /// Connecting or connected.
    case active
    /// Waiting for the next attempt.
    case waiting
    case ended
  }

  private var link: Link
  private var state = State.idle
  private var backoff: Backoff
  /// When the current connection was first reported as connected.
  private var connectedAt: Duration?

  package init(_ link: Link) {
    self.link = link
    backoff = Backoff(link.reconnection)
  }

  package mutating func handle(
    _ event: Event, at now: Duration, using generator: inout any RandomNumberGenerator
  ) -> [Action] {
    switch (state, event) {
    case (.idle, .started), (.waiting, .timerFired):
      return connect(at: now, using: &generator)
    case (.active, .link(let event)):
      return actions(for: link.handle(event, at: now), at: now, using: &generator)
    case (.active, .timerFired):
      return actions(for: link.timerFired(at: now), at: now, using: &generator)
    case (.idle, .stopped):
      state = .ended
      return [.end]
    case (.active, .stopped):
      state = .ended
      return [.disarm] + link.closingActions.map(Action.link) + [.close, .end]
    case (.waiting, .stopped):
      state = .ended
      return [.disarm, .close, .end]
    case (.idle, .link), (.idle, .timerFired), (.active, .started), (.waiting, .started),
      (.waiting, .link), (.ended, _):
      return []
    }
  }

  private mutating func connect(
    at now: Duration, using generator: inout any RandomNumberGenerator
  ) -> [Action] {
    state = .active
    connectedAt = nil
    return [report(.connecting, attempts: backoff.failures)]
      + actions(for: link.connect(at: now), at: now, using: &generator)
  }

  private mutating func actions(
    for decisions: [Link.Decision], at now: Duration,
    using generator: inout any RandomNumberGenerator
  ) -> [Action] {
    var actions: [Action] = []
    for decision in decisions {
      switch decision {
      case .perform(let action): actions.append(.link(action))
      case .arm(let instant): actions.append(.arm(at: instant))
      case .disarm: actions.append(.disarm)
      case .close: actions.append(.close)
      case .reportConnected(let problem, let receivers, let devices):
        connectedAt = connectedAt ?? now
        actions.append(
          .report(
            ConnectionState(
              .connected, endpoint: link.endpoint, problem: problem, receivers: receivers,
              devices: devices)))
      case .reportUnavailable(let error): actions.append(.reportUnavailable(error))
      case .reconnect:
        backoff.succeeded()
        actions.append(.close)
        actions += connect(at: now, using: &generator)
      case .finish(let receivers):
        state = .ended
        actions += [.disarm, .close, .finish(receivers)]
      case .fail(let error): actions += failed(error, at: now, using: &generator)
      }
    }
    return actions
  }

  /// Handles the failure of a connection. If the error may heal and attempts are left, schedules
  /// another attempt; otherwise ends the run.
  private mutating func failed(
    _ error: LocationError, at now: Duration, using generator: inout any RandomNumberGenerator
  ) -> [Action] {
    if link.hasWorked { backoff.succeeded(for: now - (connectedAt ?? now)) }
    guard link.mayHeal(error), !backoff.isExhausted else {
      state = .ended
      // The state precedes a refusal, whose reason it has.
      return [
        .disarm, .close, report(.failed, attempts: backoff.failures + 1, problem: error),
      ] + refusal(error) + [.fail(error)]
    }
    let delay = backoff.failed(isTransient: error.isTransient, using: &generator)
    state = .waiting
    return [
      .close, report(.waiting, attempts: backoff.failures, retryDelay: delay, problem: error),
      .arm(at: now + delay),
    ]
  }

  private func refusal(_ error: LocationError) -> [Action] {
    switch error.code {
    case .denied: [.reportRefusal(.denied)]
    case .restricted: [.reportRefusal(.restricted)]
    default: []
    }
  }

  private func report(
    _ phase: ConnectionState.Phase, attempts: Int, retryDelay: Duration? = nil,
    problem: LocationError? = nil
  ) -> Action {
    .report(
      ConnectionState(
        phase, endpoint: link.endpoint, attempts: attempts, retryDelay: retryDelay,
        problem: problem))
  }
}

extension ConnectionStateMachine {
  /// The address of the server in connection states.
  package var endpoint: String { link.endpoint }

  /// The deadline of ``LinkStateMachine/silenceDeadline``; nil unless the run is connecting or
  /// connected.
  package var silenceDeadline: Duration? {
    guard case .active = state else { return nil }
    return link.silenceDeadline
  }
}
