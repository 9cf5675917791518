/// The criteria by which a monitor confirms the crossing of a boundary.
///
/// A fix is certain if its distance to the boundary exceeds a margin, and doubtful otherwise. While
/// the state is unknown, the margin is the fix's accuracy: one certain fix determines the state,
/// and so do doubtful fixes that stay on one side for ``confirmation``. Once the state is known,
/// the margin is the accuracy times ``marginFactor``: fixes on the new side must be certain for
/// ``confirmation``, and doubtful fixes on that side do not count. <doc:Monitoring> shows the
/// simulation on which the defaults are based.
public struct CrossingOptions: Sendable, Hashable {
  /// The time for which fixes must show that the boundary was crossed; the default is about that of
  /// Core Location. If the time is zero, the first such fix counts.
  public var confirmation: Duration
  /// Metres; a fix closer to the boundary is doubtful even if it claims to be more accurate,
  /// because maps and reference frames differ by as much.
  public var minimumMargin: Double
  /// Metres; assumed for a fix of unknown accuracy.
  public var assumedAccuracy: Double
  /// Metres; a less accurate fix counts only if it is certain. Doubtful fixes of this kind do not
  /// determine a state, even if they stay on one side.
  public var leastAccuracy: Double
  /// The longest time without a fix for which the state of a condition is assumed to hold. After
  /// a longer gap, a certain fix counts at once, unless the condition has changed within
  /// ``changeMemory``; a dwell in progress starts again. For a dwell longer than this, the longest
  /// gap is the dwell.
  public var longestGap: Duration
  /// The margin of a fix once the state is known, as a multiple of the fix's accuracy.
  public var marginFactor: Double
  /// The longest confirmation of a condition: each recent change doubles ``confirmation``, up to
  /// this limit.
  public var longestConfirmation: Duration
  /// The time without a change after which one recent change is forgotten and no longer doubles the
  /// confirmation.
  public var changeMemory: Duration
  /// Whether suspect locations determine no state; see ``Location/integrity``. The conditions then
  /// keep their states, as during a gap. Locations that were not assessed count.
  public var omitsSuspectLocations: Bool

  /// Creates options.
  public init(
    confirmation: Duration = .seconds(20), minimumMargin: Double = 1, assumedAccuracy: Double = 30,
    leastAccuracy: Double = 100, longestGap: Duration = .seconds(120), marginFactor: Double = 1.5,
    longestConfirmation: Duration = .seconds(160), changeMemory: Duration = .seconds(3_600),
    omitsSuspectLocations: Bool = false
  ) {
    self.confirmation = confirmation
    self.minimumMargin = minimumMargin
    self.assumedAccuracy = assumedAccuracy
    self.leastAccuracy = leastAccuracy
    self.longestGap = longestGap
    self.marginFactor = marginFactor
    self.longestConfirmation = longestConfirmation
    self.changeMemory = changeMemory
    self.omitsSuspectLocations = omitsSuspectLocations
  }

  /// Whether a location determines states.
  func counts(_ location: Location) -> Bool {
    !omitsSuspectLocations || !location.isSuspect
  }

  /// The confirmation of a condition after a number of recent changes.
  func confirmation(after changes: Int) -> Duration {
    let longest = max(confirmation, longestConfirmation)
    var (doubled, remaining) = (confirmation, changes)
    while remaining > 0, doubled < longest {
      (doubled, remaining) = (doubled.addingSaturated(doubled), remaining - 1)
    }
    return min(doubled, longest)
  }
}
