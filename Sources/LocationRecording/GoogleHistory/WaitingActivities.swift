import FoundationEssentials

/// Activities of a timeline that wait for a path of their time, which is their way. Pure.
///
/// Activities and paths come in the order of their times: those behind the first activity that is
/// later than a path wait further.
struct WaitingActivities<Activity: Sendable>: Sendable {
  /// The activities that may wait.
  static var capacity: Int { 1 << 16 }

  /// What becomes of activities.
  struct Decision: Sendable {
    /// Those that no path covers.
    var given: [Activity] = []
    /// Those whose way is a path.
    var covered: [Activity] = []
  }

  private var waiting: [(period: ClosedRange<Date>, activity: Activity)] = []
  /// The first ones, of which it is decided.
  private var settledCount = 0
  /// The time of the last path.
  private var lastPath: ClosedRange<Date>?

  var count: Int { waiting.count }

  /// Takes an activity. If it is one too many, none waits for a path any more.
  mutating func add(_ activity: Activity, during period: ClosedRange<Date>) -> Decision {
    guard lastPath?.overlaps(period) != true else { return Decision(covered: [activity]) }
    let decision = waiting.count == Self.capacity ? settle() : Decision()
    waiting.append((period, activity))
    return decision
  }

  /// Takes the times of a path.
  mutating func addPath(_ dates: [Date]) -> Decision {
    var decision = Decision()
    guard let first = dates.min(), let last = dates.max() else { return decision }
    lastPath = first...last
    while settledCount < waiting.count {
      let (period, activity) = waiting[settledCount]
      guard period.lowerBound <= last else { break }
      settledCount += 1
      if period.upperBound >= first {
        decision.covered.append(activity)
      } else {
        decision.given.append(activity)
      }
    }
    // Removes them once they are the majority, so that each costs constant time.
    if settledCount > waiting.count / 2 {
      waiting.removeFirst(settledCount)
      settledCount = 0
    }
    return decision
  }

  /// Gives the activities that no path has followed.
  mutating func settle() -> Decision {
    defer { self = Self() }
    return Decision(given: waiting[settledCount...].map(\.activity))
  }
}
