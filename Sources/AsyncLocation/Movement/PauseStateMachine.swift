/// Decides which locations the subscribers of one activity receive, and when they pause.
struct PauseStateMachine: Sendable {
  enum Action: Sendable, Hashable {
    /// The receiver moves: deliver the location.
    case deliver
    /// The location is implausible: deliver nothing.
    case reject
    /// The receiver is stationary: deliver nothing.
    case withhold
    /// The receiver has become stationary: deliver this location, then nothing.
    case pause
    /// The receiver moves again: deliver this location and the next ones.
    case resume

    var isDelivered: Bool { self != .reject && self != .withhold }
  }

  private var jumps: JumpFilter?
  /// Nil when the subscribers never pause.
  private var stay: StayDetector?

  /// Creates a machine; nil when it would deliver everything.
  init?(_ activity: ActivityType, pauses: Bool) {
    jumps = activity.highestSpeed.map { JumpFilter(highestSpeed: $0) }
    stay = pauses ? activity.stay.map { StayDetector($0) } : nil
    if jumps == nil, stay == nil { return nil }
  }

  var isPaused: Bool { stay?.isStationary ?? false }

  /// True when both machines count the receiver as moving, the other machine has a stay in
  /// progress, and the stay of this machine began later or has not begun.
  func pausesLater(than other: Self) -> Bool {
    guard !isPaused, !other.isPaused, let start = other.stay?.start else { return false }
    return stay?.start.map { $0 > start } ?? true
  }

  /// - Parameter instant: The arrival time of the location, on a monotonic clock.
  mutating func located(_ location: borrowing Location, at instant: Duration) -> Action {
    // A contradicted position shows neither movement nor a rest.
    guard !location.isContradicted else { return isPaused ? .withhold : .deliver }
    guard jumps?.admits(location, at: instant) ?? true else { return .reject }
    let wasPaused = isPaused
    let isPaused = stay?.observe(location, at: instant) ?? false
    switch (wasPaused, isPaused) {
    case (false, false): return .deliver
    case (false, true): return .pause
    case (true, true): return .withhold
    case (true, false): return .resume
    }
  }

  /// Counts the receiver as moving, since its position is no longer known.
  mutating func reset() { stay?.reset() }
}
