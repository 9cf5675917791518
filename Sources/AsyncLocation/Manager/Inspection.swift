/// What a simulation compares with what it knows itself: the hub from within, at one moment.
package struct Inspection: Sendable {
  package enum Run: Sendable { case idle, running, stopping }

  package var machine: AuthorizationStateMachine
  package var run: Run
  /// How many demands are held.
  package var holders: Int
  package var sessions: Int
  /// Calls for a location that have no answer.
  package var locationCalls: Int
  /// Calls for permission that have no answer.
  package var authorizationCalls: Int
  /// The most elements that wait for any one subscriber.
  package var longestQueue: Int
  package var statistics: LocationManager.Statistics
  package var isClosed: Bool
  package var isReduced: Bool
  /// Whether a location or a heading is known, for whoever asks.
  package var knowsPlace: Bool
}

/// Looks into a hub that it does not keep alive.
package struct Inspector: Sendable {
  private weak let hub: Hub?

  package init(_ manager: LocationManager) { hub = manager.hub }

  /// True once nothing holds the hub any more.
  package var isGone: Bool { hub == nil }

  /// Nil once the hub is gone.
  package func inspect() -> Inspection? { hub?.inspect() }
}

extension Hub {
  fileprivate func inspect() -> Inspection {
    decide { state, _ in
      Inspection(
        machine: state.authorization.machine, run: state.control.run,
        holders: state.control.holders, sessions: state.sessions.count,
        locationCalls: state.requests.openCalls,
        authorizationCalls: state.authorization.openCalls,
        longestQueue: max(state.fanOut.longestQueue, state.sessions.longestQueue),
        statistics: state.statistics,
        isClosed: state.isClosed, isReduced: state.isReduced,
        knowsPlace: state.lastLocation != nil || state.lastHeading != nil)
    }
  }
}
