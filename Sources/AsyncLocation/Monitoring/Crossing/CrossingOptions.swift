/// How a monitor decides that a boundary was crossed.
///
/// A fix that is farther from the boundary than its own accuracy leaves no doubt, and counts at
/// once. A fix within its accuracy of the boundary counts if the fixes have stayed on the new side
/// for ``confirmation``.
public struct CrossingOptions: Sendable, Hashable {
  /// The time for which doubtful fixes must stay on one side. Core Location waits about as long.
  public var confirmation: Duration
  /// Metres; a fix closer to the boundary is doubtful even if it claims to be more accurate: maps
  /// and reference frames differ by as much.
  public var minimumMargin: Double
  /// Metres; assumed for a fix of unknown accuracy.
  public var assumedAccuracy: Double
  /// Metres; a less accurate fix counts only if it leaves no doubt, however long it stays.
  public var leastAccuracy: Double
  /// The longest time between two fixes in which the side of a boundary is taken as unchanged. After
  /// a longer gap, a confirmation or a dwell that has begun starts again; a dwell that is longer
  /// than this allows a gap of its own length.
  public var longestGap: Duration

  /// Creates options.
  public init(
    confirmation: Duration = .seconds(20), minimumMargin: Double = 1, assumedAccuracy: Double = 30,
    leastAccuracy: Double = 100, longestGap: Duration = .seconds(120)
  ) {
    self.confirmation = confirmation
    self.minimumMargin = minimumMargin
    self.assumedAccuracy = assumedAccuracy
    self.leastAccuracy = leastAccuracy
    self.longestGap = longestGap
  }
}
