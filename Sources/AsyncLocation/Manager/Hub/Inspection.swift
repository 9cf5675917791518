/// A snapshot of the hub's internal state, which a simulation compares with its own model.
package struct Inspection: Sendable {
  package enum Run: Sendable { case idle, running, stopping }

  package var machine: AuthorizationStateMachine
  package var run: Run
  /// The number of subscribers and calls that hold demand.
  package var holders: Int
  package var sessions: Int
  /// Calls for a location without an answer.
  package var locationCalls: Int
  /// Calls for permission without an answer.
  package var authorizationCalls: Int
  /// The largest number of elements buffered for any subscriber.
  package var longestQueue: Int
  package var statistics: LocationManager.Statistics
  package var isClosed: Bool
  package var isReduced: Bool
  /// Whether a last location or heading is known.
  package var hasLastPosition: Bool
}

/// Inspects a hub without keeping it alive.
package struct Inspector: Sendable {
  private weak let hub: Hub?

  package init(_ manager: LocationManager) { hub = manager.hub }

  /// True once the hub is freed.
  package var isGone: Bool { hub == nil }

  /// Nil once the hub is freed.
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
        longestQueue: max(
          state.fanOut.longestQueue, state.sessions.longestQueue, state.feed.longestQueue),
        statistics: state.statistics,
        isClosed: state.isClosed, isReduced: state.isReduced,
        hasLastPosition: state.known.location != nil || state.known.heading != nil)
    }
  }
}
