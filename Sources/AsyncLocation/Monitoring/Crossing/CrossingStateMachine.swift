/// Decides whether one device meets one condition.
struct CrossingStateMachine: Sendable, Hashable {
  /// The certainty of an observation's side.
  enum Evidence: Sendable, Hashable {
    /// A fix whose margin reaches across the boundary.
    case doubtful
    /// A fix that is farther from the boundary than its margin.
    case certain
    /// A certain fix when the previous state is old or assumed: the fix follows a gap longer than
    /// ``CrossingOptions/longestGap``, or is the first since the condition was added.
    case decisive
    /// A received beacon. Reception has no position error.
    case received
  }

  /// An observation of a condition, by a fix or a beacon report.
  struct Observation: Sendable, Hashable {
    let side: AreaSide
    let evidence: Evidence
    /// The time of the observation, on a monotonic clock.
    let instant: Duration
  }

  /// A crossing that is not confirmed yet.
  struct Candidate: Sendable, Hashable {
    let side: AreaSide
    /// True when one of its fixes was certain. If the state is known, only certain fixes belong to
    /// a candidate.
    var isCertain: Bool
    /// The time of its first observation.
    let since: Duration
    /// The time of its latest observation.
    var latest: Duration
  }

  private(set) var state: Monitor.State
  private(set) var candidate: Candidate?
  private(set) var changes: RecentChanges?

  init(_ state: Monitor.State, candidate: Candidate? = nil, changes: RecentChanges? = nil) {
    (self.state, self.candidate, self.changes) = (state, candidate, changes)
  }

  /// True when the state is "unsatisfied", without a candidate and without recent changes.
  var isAtRest: Bool { isIdle && changes == nil }

  /// True when an observation outside changes nothing, except that recent changes are forgotten.
  var isIdle: Bool { state == .unsatisfied && candidate == nil }

  func forgettingChanges(at instant: Duration, _ options: CrossingOptions) -> Self {
    Self(state, candidate: candidate, changes: changes?.remembered(at: instant, options))
  }

  mutating func observe(
    _ observation: Observation, dwell: Duration, _ options: CrossingOptions
  ) {
    let (side, instant) = (observation.side, observation.instant)
    changes = changes?.remembered(at: instant, options)
    guard side.state != state else {
      candidate = nil
      return
    }
    let isCertain = observation.evidence != .doubtful
    guard isCertain || !state.isDetermined else { return }
    let dwell = side == .inside ? dwell : .zero
    var new = Candidate(side: side, isCertain: false, since: instant, latest: instant)
    if let candidate, continues(candidate, observation, dwell: dwell, options) { new = candidate }
    new.isCertain = new.isCertain || isCertain
    new.latest = max(new.latest, instant)
    let needed = max(dwell, confirmation(of: new, observation.evidence, options))
    if instant.subtractingSaturated(new.since) >= needed {
      change(to: side.state, at: instant, options)
    } else {
      candidate = new
    }
  }

  /// Whether an observation continues a candidate.
  private func continues(
    _ candidate: Candidate, _ observation: Observation, dwell: Duration,
    _ options: CrossingOptions
  ) -> Bool {
    guard candidate.side == observation.side else { return false }
    // Without a dwell, two certain fixes on one side belong together, regardless of the gap between
    // them.
    if state.isDetermined, dwell == .zero { return true }
    return observation.instant.subtractingSaturated(candidate.latest)
      <= max(options.longestGap, dwell)
  }

  /// The time for which a crossing must last to be confirmed.
  private func confirmation(
    of candidate: Candidate, _ evidence: Evidence, _ options: CrossingOptions
  ) -> Duration {
    guard state.isDetermined else { return candidate.isCertain ? .zero : options.confirmation }
    switch evidence {
    case .received: return .zero
    case .decisive where changes == nil: return .zero
    case .doubtful, .certain, .decisive:
      return options.confirmation(after: changes?.count ?? 0)
    }
  }

  private mutating func change(
    to new: Monitor.State, at instant: Duration, _ options: CrossingOptions
  ) {
    if state.isDetermined {
      changes = RecentChanges((changes?.count ?? 0) + 1, since: instant, at: instant, options)
    }
    state = new
    candidate = nil
  }
}

extension Monitor.State {
  /// Whether the state shows on which side of the boundary the device is.
  var isDetermined: Bool { self == .satisfied || self == .unsatisfied }

  /// Whether both states are determined, and differ.
  func isChange(from previous: Self) -> Bool {
    self != previous && isDetermined && previous.isDetermined
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
