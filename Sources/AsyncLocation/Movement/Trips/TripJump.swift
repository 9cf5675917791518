/// Locations to which no vehicle could have moved from the latest one that was used, each reachable
/// from the one before: the errors of reflected signals, or the right positions after wrong ones.
struct TripJump: Sendable {
  /// The number of movements after a jump that only a moving vehicle makes.
  private static let leastMoves = 3

  let first: TripFix
  private(set) var latest: TripFix
  private(set) var count = 1
  /// The number of movements by more than the radius of a place, and the end of the last one.
  private var moves = (count: 0, end: Coordinate?.none)
  /// Whether the latest location was not reachable, and was left out.
  private var hasStray = false

  init(_ fix: TripFix) { (first, latest) = (fix, fix) }

  /// The seconds since the first location.
  var seconds: Double { latest.seconds - first.seconds }

  /// Adds a location. The first that is not reachable is left out; the second begins another jump.
  mutating func add(_ fix: TripFix, radius: Double) {
    guard fix.isReachable(from: latest) else {
      if hasStray { self = Self(fix) } else { hasStray = true }
      return
    }
    (latest, count, hasStray) = (fix, count + 1, false)
    let end = moves.end ?? first.coordinate
    if end.distance(to: fix.coordinate) - fix.accuracy > radius {
      moves = (moves.count + 1, fix.coordinate)
    }
  }

  /// Whether the vehicle has moved since the first location.
  func isMoving(radius: Double) -> Bool {
    moves.count >= Self.leastMoves
      && first.coordinate.distance(to: latest.coordinate) - latest.accuracy > 2 * radius
  }
}
