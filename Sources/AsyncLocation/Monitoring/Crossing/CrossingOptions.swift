/// How a monitor decides that a boundary was crossed.
///
/// A condition whose state is unknown is determined by one fix that is farther from the boundary
/// than its own accuracy, or by less certain fixes that stay on one side for ``confirmation``. From a
/// known state, fixes on the new side must leave no doubt, by ``marginFactor``, for ``confirmation``;
/// less certain ones decide nothing. <doc:Monitoring> shows the simulation that chose the defaults.
public struct CrossingOptions: Sendable, Hashable {
  /// The time for which fixes must leave no doubt that the boundary was crossed. Core Location waits
  /// about as long. Zero lets the first such fix count.
  public var confirmation: Duration
  /// Metres; a fix closer to the boundary is doubtful even if it claims to be more accurate: maps
  /// and reference frames differ by as much.
  public var minimumMargin: Double
  /// Metres; assumed for a fix of unknown accuracy.
  public var assumedAccuracy: Double
  /// Metres; a less accurate fix counts only if it leaves no doubt, however long it stays.
  public var leastAccuracy: Double
  /// The longest time without a fix in which the state of a condition is taken as unchanged. After a
  /// longer gap, a fix that leaves no doubt counts at once, unless the condition has changed within
  /// ``changeMemory``; a dwell that has begun starts again. A dwell that is longer than this allows
  /// a gap of its own length.
  public var longestGap: Duration
  /// The accuracies of a fix by which it must be beyond the boundary to leave no doubt from a known
  /// state.
  public var marginFactor: Double
  /// The limit of the confirmation of a condition that has changed: each change doubles
  /// ``confirmation``, until it is this long.
  public var longestConfirmation: Duration
  /// The time without a change after which one change no longer doubles the confirmation.
  public var changeMemory: Duration

  /// Creates options.
  public init(
    confirmation: Duration = .seconds(20), minimumMargin: Double = 1, assumedAccuracy: Double = 30,
    leastAccuracy: Double = 100, longestGap: Duration = .seconds(120), marginFactor: Double = 1.5,
    longestConfirmation: Duration = .seconds(160), changeMemory: Duration = .seconds(3_600)
  ) {
    self.confirmation = confirmation
    self.minimumMargin = minimumMargin
    self.assumedAccuracy = assumedAccuracy
    self.leastAccuracy = leastAccuracy
    self.longestGap = longestGap
    self.marginFactor = marginFactor
    self.longestConfirmation = longestConfirmation
    self.changeMemory = changeMemory
  }

  /// The confirmation of a condition after a number of recent changes.
  func confirmation(after changes: Int) -> Duration {
    let longest = max(confirmation, longestConfirmation)
    var (doubled, left) = (confirmation, changes)
    while left > 0, doubled < longest {
      (doubled, left) = (doubled.addingSaturated(doubled), left - 1)
    }
    return min(doubled, longest)
  }
}
