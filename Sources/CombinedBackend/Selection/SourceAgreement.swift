import AsyncLocation

/// Decides how uncertain the positions of a source are because they contradict those of another.
///
/// When a source takes over, its first position is compared with the last one that was certain. A
/// difference that neither movement nor both accuracies explain is an error of one of them, and it is
/// unknown of which. The new source is therefore given an uncertainty that covers both positions, so
/// that nothing that happened before the switch is contradicted by it.
///
/// The sources whose positions need no such uncertainty beside each other form a frame. A source
/// outside of the frame keeps its uncertainty until it agrees with a source of the frame at one time,
/// or until it has itself moved so far that the difference no longer matters; then it begins a frame.
/// Every takeover is a comparison, also that of a source of the frame. Uncertainties do not add up.
struct SourceAgreement: Sendable {
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
      var travel = Travel()
      travel.addGap(from: earlier, to: self)
      let comparison = Comparison(earlier, self)
      return comparison.isExplained(by: travel) ? 0 : comparison.cover
    }

    func isSimultaneous(with other: Fix) -> Bool {
      abs(instant - other.instant) <= SourceAgreement.simultaneity
    }
  }

  /// The difference between two positions, in metres.
  private struct Comparison {
    let distance: Double
    let accuracies: Double

    init(_ one: Fix, _ other: Fix) {
      distance = one.coordinate.distance(to: other.coordinate)
      accuracies = one.accuracy + other.accuracy
    }

    /// An accuracy that covers both positions.
    var cover: Double { distance + accuracies }
    var isWithinAccuracies: Bool { distance <= accuracies }

    func isExplained(by travel: Travel, orBy uncertainty: Double = 0) -> Bool {
      distance <= travel.reach + accuracies + uncertainty
    }
  }

  /// The metres that a receiver may have moved during a time.
  private struct Travel: Sendable {
    /// Metres per second squared, and the longest time in seconds for which a change of speed beyond
    /// the known speeds is assumed.
    private static let (acceleration, longestAcceleration) = (1.0, 10.0)

    /// By the known speeds and the observed movement.
    private var known = 0.0
    /// The seconds without a fix.
    private var unobserved = 0.0

    var reach: Double {
      let accelerating = min(unobserved, Self.longestAcceleration)
      return known + Self.acceleration / 2 * accelerating * accelerating
    }

    mutating func addGap(from earlier: Fix, to later: Fix) {
      let elapsed = max(0, later.instant - earlier.instant)
      known += max(earlier.speed, later.speed) * elapsed
      unobserved += elapsed
    }

    /// Adds the movement that one source has observed; less than its accuracies is none.
    mutating func addMovement(from start: Fix, to end: Fix) {
      let comparison = Comparison(start, end)
      if !comparison.isWithinAccuracies { known += comparison.distance }
    }
  }

  private struct Current: Sendable {
    let source: Int
    /// Metres; 0 in the frame.
    var uncertainty: Double
    /// The first fix since it took over, and the last one.
    let start: Fix
    var last: Fix
  }

  /// The last fix that was certain. Its source belongs to the frame.
  private struct Anchor: Sendable {
    let source: Int
    let fix: Fix
    /// The movement since then, up to the last takeover.
    var travel = Travel()
  }

  private var current: Current?
  private var anchor: Anchor?
  private var frame: Set<Int> = []
  /// The uncertainties of sources outside of the frame that were compared with it.
  private var uncertainties: [Int: Double] = [:]
  /// The last fix of each source.
  private var latest: [Int: Fix] = [:]

  /// Observes a fix of a source that is not in force. Beside a certain fix of one moment, it shows
  /// whether the source belongs to the frame.
  mutating func observed(_ fix: Fix, of source: Int) {
    latest[source] = fix
    guard let current, current.uncertainty == 0, fix.isSimultaneous(with: current.last) else {
      return
    }
    join(source, unless: fix.contradiction(of: current.last))
  }

  /// Handles a fix of the source in force, and returns the least accuracy in metres that it may
  /// claim; 0 for its own.
  mutating func located(_ fix: Fix, by source: Int) -> Double {
    let earlier = latest.updateValue(fix, forKey: source)
    if var current, current.source == source {
      if current.uncertainty > 0 { settle(fix, &current) }
      current.last = fix
      self.current = current
    } else {
      let uncertainty = current.map { takeOver(source, at: fix, earlier, after: $0) } ?? 0
      current = Current(source: source, uncertainty: uncertainty, start: fix, last: fix)
    }
    let uncertainty = current?.uncertainty ?? 0
    if uncertainty == 0 {
      frame.insert(source)
      anchor = Anchor(source: source, fix: fix)
    }
    return uncertainty
  }

  /// Returns the uncertainty of a source that takes over.
  ///
  /// - Parameter earlier: Its own last fix before this one.
  private mutating func takeOver(
    _ source: Int, at fix: Fix, _ earlier: Fix?, after old: Current
  ) -> Double {
    // A source is not compared with itself: alone, it would not be either.
    guard var anchor, anchor.source != source else { return 0 }
    let wasCertain = old.uncertainty == 0
    if !wasCertain { anchor.travel.addMovement(from: old.start, to: old.last) }
    anchor.travel.addGap(from: old.last, to: fix)
    self.anchor = anchor
    let comparison = Comparison(anchor.fix, fix)
    if wasCertain, fix.isSimultaneous(with: old.last) {
      join(source, unless: comparison.isExplained(by: anchor.travel) ? 0 : comparison.cover)
    } else if let known = uncertainties[source] {
      if comparison.isWithinAccuracies, known > anchor.travel.reach + 2 * comparison.accuracies {
        // Movement cannot have hidden such a difference.
        join(source, unless: 0)
      } else if !comparison.isExplained(by: anchor.travel, orBy: known) {
        uncertainties[source] = comparison.cover
      }
    } else if !comparison.isExplained(by: anchor.travel)
      || wasCertain && !comparison.isWithinAccuracies
        && isBack(source, at: fix, earlier, after: old)
    {
      join(source, unless: comparison.cover)
    } else {
      join(source, unless: 0)
    }
    return uncertainties[source] ?? 0
  }

  /// Whether a source of the frame is where it was before the other one took over, which has not
  /// moved either. Then the difference of both is no movement there and back.
  private func isBack(_ source: Int, at fix: Fix, _ earlier: Fix?, after old: Current) -> Bool {
    guard frame.contains(source), let earlier else { return false }
    return Comparison(earlier, fix).isWithinAccuracies
      && Comparison(old.start, old.last).isWithinAccuracies
  }

  /// Adds a source to the frame, or removes it if it contradicts the frame.
  private mutating func join(_ source: Int, unless contradiction: Double) {
    if contradiction > 0 {
      frame.remove(source)
      uncertainties[source] = contradiction
    } else {
      frame.insert(source)
      uncertainties[source] = nil
    }
  }

  /// Ends the uncertainty of the source in force if it agrees with the frame, or has moved far.
  private mutating func settle(_ fix: Fix, _ current: inout Current) {
    let agrees = frame.contains { member in
      guard let other = latest[member], fix.isSimultaneous(with: other) else { return false }
      return fix.contradiction(of: other) == 0
    }
    if agrees {
      join(current.source, unless: 0)
    } else if current.start.coordinate.distance(to: fix.coordinate)
      >= current.uncertainty * Self.frameFactor
    {
      (frame, uncertainties) = ([current.source], [:])
    } else {
      return
    }
    current.uncertainty = 0
  }
}
