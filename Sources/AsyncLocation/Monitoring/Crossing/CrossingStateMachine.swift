/// Decides whether one device meets one condition.
struct CrossingStateMachine: Sendable, Hashable {
  /// What a fix says about a condition.
  struct Observation: Sendable, Hashable {
    let side: AreaSide
    /// True when the fix leaves no doubt.
    let isCertain: Bool
    /// When the fix arrived, on a monotonic clock.
    let instant: Duration
  }

  /// A crossing that has begun.
  struct Candidate: Sendable, Hashable {
    let side: AreaSide
    /// True when a fix on this side left no doubt.
    var isCertain: Bool
    let since: Duration
    var latest: Duration
  }

  private(set) var state: Monitor.State
  private(set) var candidate: Candidate?

  init(_ state: Monitor.State, candidate: Candidate? = nil) {
    (self.state, self.candidate) = (state, candidate)
  }

  /// True when there is nothing to remember beside "unsatisfied".
  var isAtRest: Bool { state == .unsatisfied && candidate == nil }

  mutating func observe(
    _ observation: Observation, dwell: Duration, _ options: CrossingOptions
  ) {
    let (side, instant) = (observation.side, observation.instant)
    guard side.state != state else {
      candidate = nil
      return
    }
    let gap = max(options.longestGap, dwell)
    var new = Candidate(side: side, isCertain: false, since: instant, latest: instant)
    if let candidate, candidate.side == side, instant.subtractingSaturated(candidate.latest) <= gap
    {
      new = candidate
    }
    new.isCertain = new.isCertain || observation.isCertain
    new.latest = max(new.latest, instant)
    let confirmation = new.isCertain ? .zero : options.confirmation
    let needed = side == .inside ? max(dwell, confirmation) : confirmation
    if instant.subtractingSaturated(new.since) >= needed {
      state = side.state
      candidate = nil
    } else {
      candidate = new
    }
  }
}

extension AreaSide {
  var state: Monitor.State {
    switch self {
    case .inside: .satisfied
    case .outside: .unsatisfied
    }
  }
}
