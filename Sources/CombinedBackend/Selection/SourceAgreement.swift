import AsyncLocation

/// Decides how uncertain the positions of a source are because they contradict those of another.
///
/// When a source takes over, its first position is compared with the last one of the previous source.
/// A difference that neither movement nor both accuracies explain is an error of one of them, and it
/// is unknown of which. The new source is therefore given an uncertainty that covers both positions,
/// so that nothing that happened before the switch is contradicted by it.
///
/// The sources whose positions need no such uncertainty beside each other form a frame. A source
/// outside of the frame keeps its uncertainty until it agrees with a source of the frame at one time,
/// or until it has itself moved so far that the difference no longer matters; then it begins a frame.
struct SourceAgreement: Sendable {
  /// Metres per second squared, and the longest time in seconds for which a change of speed beyond
  /// the known speeds is assumed.
  static let (acceleration, longestAcceleration) = (1.0, 10.0)
  /// Metres; assumed for a position of unknown accuracy.
  static let assumedAccuracy = 30.0
  /// The time in seconds within which two fixes count as being of one moment.
  static let simultaneity = 2.0
  /// A source that has moved by this multiple of its uncertainty begins a frame.
  static let frameFactor = 10.0

  struct Fix: Sendable {
    let coordinate: Coordinate
    let accuracy: Double
    let speed: Double
    let instant: Double

    init(_ location: borrowing Location, at now: Duration) {
      coordinate = location.coordinate
      accuracy = location.horizontalAccuracy ?? SourceAgreement.assumedAccuracy
      speed = location.speed ?? 0
      instant = ExactSeconds.number(now)
    }

    /// The metres that cover both positions if neither movement nor their accuracies explain the
    /// difference; 0 if they do.
    func contradiction(of earlier: Fix) -> Double {
      let elapsed = max(0, instant - earlier.instant)
      let accelerating = min(elapsed, SourceAgreement.longestAcceleration)
      let reach =
        max(speed, earlier.speed) * elapsed
        + SourceAgreement.acceleration / 2 * accelerating * accelerating
      let distance = earlier.coordinate.distance(to: coordinate)
      let accuracies = accuracy + earlier.accuracy
      return distance <= reach + accuracies ? 0 : distance + accuracies
    }
  }

  private struct Current: Sendable {
    let source: Int
    /// Metres; 0 in the frame.
    var uncertainty: Double
    /// The first position since it took over.
    let start: Coordinate
    var last: Fix
  }

  private var current: Current?
  private var frame: Set<Int> = []
  /// The last fix of each source that is not in force.
  private var latest: [Int: Fix] = [:]

  /// Observes a fix of a source that is not in force.
  mutating func observed(_ fix: Fix, of source: Int) { latest[source] = fix }

  /// Handles a fix of the source in force, and returns the least accuracy in metres that it may
  /// claim; 0 for its own.
  mutating func located(_ fix: Fix, by source: Int) -> Double {
    latest[source] = fix
    guard var current else {
      self.current = Current(source: source, uncertainty: 0, start: fix.coordinate, last: fix)
      frame = [source]
      return 0
    }
    if current.source == source {
      if current.uncertainty > 0 { settle(fix, &current) }
      current.last = fix
      self.current = current
      return current.uncertainty
    }
    let uncertainty = uncertainty(of: source, at: fix, after: current)
    self.current = Current(
      source: source, uncertainty: uncertainty, start: fix.coordinate, last: fix)
    return uncertainty
  }

  private mutating func uncertainty(of source: Int, at fix: Fix, after old: Current) -> Double {
    let contradiction = fix.contradiction(of: old.last)
    switch (old.uncertainty, contradiction) {
    case (0, 0):
      frame.insert(source)
      return 0
    case (0, _):
      frame.remove(source)
      return contradiction
    default:
      // A return into the frame: what was known before still holds.
      if frame.contains(source) { return 0 }
      return old.uncertainty + contradiction
    }
  }

  /// Ends the uncertainty of the source in force if it agrees with the frame, or has moved far.
  private mutating func settle(_ fix: Fix, _ current: inout Current) {
    let agrees = frame.contains { member in
      guard let other = latest[member], fix.instant - other.instant <= Self.simultaneity else {
        return false
      }
      return fix.contradiction(of: other) == 0
    }
    if agrees {
      frame.insert(current.source)
    } else if current.start.distance(to: fix.coordinate)
      >= current.uncertainty * Self.frameFactor
    {
      frame = [current.source]
    } else {
      return
    }
    current.uncertainty = 0
  }
}
