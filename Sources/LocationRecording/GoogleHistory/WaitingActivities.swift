import FoundationEssentials

/// Activities of a timeline that wait for a path that covers them. Pure.
///
/// Activities and paths are in the order of their times. A path decides on the activities that
/// begin before its end; the others wait for the next path.
struct WaitingActivities<Activity: Sendable>: Sendable {
  /// The maximum number of waiting activities.
  static var capacity: Int { 1 << 16 }

  /// The decision on some activities.
  struct Decision: Sendable {
    /// The activities that no path covers.
    var uncovered: [Activity] = []
    /// The activities that a path covers.
    var covered: [Activity] = []
  }

  private var waiting: [(period: ClosedRange<Date>, activity: Activity)] = []
  /// The number of activities at the start that are decided and not removed yet.
  private var settledCount = 0
  /// The period of the last path.
  private var lastPath: ClosedRange<Date>?

  var count: Int { waiting.count }

  /// Adds an activity. It is returned as covered if the last path overlaps it; otherwise it waits.
  /// Beyond ``capacity``, the waiting activities are returned as not covered.
  mutating func add(_ activity: Activity, during period: ClosedRange<Date>) -> Decision {
    guard lastPath?.overlaps(period) != true else { return Decision(covered: [activity]) }
    let decision = waiting.count == Self.capacity ? settle() : Decision()
    waiting.append((period, activity))
    return decision
  }

  /// Adds the times of a path, and returns the activities on which the path decides.
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
        decision.uncovered.append(activity)
      }
    }
    // Decided activities are removed once they are the majority: the amortized cost is constant.
    if settledCount > waiting.count / 2 {
      waiting.removeFirst(settledCount)
      settledCount = 0
    }
    return decision
  }

  /// Returns the waiting activities as not covered.
  mutating func settle() -> Decision {
    defer { self = Self() }
    return Decision(uncovered: waiting[settledCount...].map(\.activity))
  }
}
