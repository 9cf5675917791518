/// The greatest speed of a track without its outliers. Pure, and of constant size.
///
/// A speed counts if its neighbors confirm it: a speed that the receiver reports at two points in a
/// row, or a speed between positions in three steps in a row, since one wrong position causes two
/// fast steps. Without a confirmed speed, the greatest unconfirmed speed counts; of two steps in a
/// row, the slower one.
package struct SpeedPeak: Sendable, Hashable {
  /// The greatest confirmed speed in metres per second.
  private var confirmed: Double?
  /// The greatest unconfirmed speed before the last report and the last steps.
  private var unconfirmed: Double?
  /// The last report of the segment.
  private var lastReport: Double?
  /// The speeds of the last steps in a row without a report.
  private var (lastStep, stepBefore): (Double?, Double?)

  /// Whether a receiver has reported a speed.
  package private(set) var hasReports = false

  package init() {}

  /// The greatest speed in metres per second; nil without a speed.
  package var value: Double? { confirmed ?? Self.highest(unconfirmed, highestUnconfirmed) }

  /// Begins a segment. Speeds of different segments do not confirm each other.
  package mutating func beginSegment() {
    unconfirmed = Self.highest(unconfirmed, highestUnconfirmed)
    (lastReport, lastStep, stepBefore) = (nil, nil, nil)
  }

  /// Adds the speed that a receiver reports.
  package mutating func add(reported speed: Double) {
    hasReports = true
    if let lastReport { confirm(min(speed, lastReport)) }
    unconfirmed = Self.highest(unconfirmed, slowerStep)
    (lastReport, lastStep, stepBefore) = (speed, nil, nil)
  }

  /// Adds the speed between two positions, for a step without a report.
  package mutating func add(derived speed: Double) {
    if let lastStep, let stepBefore { confirm(min(speed, lastStep, stepBefore)) }
    (lastStep, stepBefore) = (speed, lastStep)
  }

  private mutating func confirm(_ speed: Double) { confirmed = max(confirmed ?? 0, speed) }

  private var highestUnconfirmed: Double? { Self.highest(lastReport, slowerStep) }

  /// The slower of the last two steps; the last one if it is the only one.
  private var slowerStep: Double? { lastStep.map { min($0, stepBefore ?? $0) } }

  private static func highest(_ one: Double?, _ other: Double?) -> Double? {
    guard let one, let other else { return one ?? other }
    return max(one, other)
  }
}
