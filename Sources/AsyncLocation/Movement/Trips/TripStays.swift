/// Finds the places where a moving vehicle may stay.
///
/// A stay continues after locations elsewhere if they are few, or all at one other place for a
/// short time: outliers and reflected signals. Otherwise the latest place replaces it.
struct TripStays: Sendable {
  /// The least number of other places, and the least seconds away, that end a stay.
  private static let strays = (count: 2, seconds: 30.0)
  /// Seconds between locations from which on another place counts twice if the receiver reports
  /// movement there: errors of positions rarely change the speed.
  static let sparseInterval = 300.0

  private let radius: Double
  /// Seconds at one other place that end a stay.
  private let confirmation: Double
  /// Whether a shorter stay elsewhere does not replace a longer one.
  private let keepsLonger: Bool
  private(set) var current: TripStay?
  /// A possible stay elsewhere.
  private var next: TripStay?
  /// The number of other places in a row.
  private var strayCount = 0
  /// The number of locations in a row at the current place since the last one elsewhere.
  private var returnCount = 0

  init(radius: Double, confirmation: Double, keepsLonger: Bool) {
    (self.radius, self.confirmation) = (radius, confirmation)
    self.keepsLonger = keepsLonger
  }

  /// Adds a location of a trip.
  ///
  /// - Parameter arrival: The time at which the vehicle arrived there.
  /// - Returns: The stay that ended.
  mutating func add(_ fix: TripFix, arrival: Double, figures: TripFigures) -> TripStay? {
    if isAtCurrent(fix) {
      returnCount += 1
      // A single location at the former place may be an outlier.
      if let next, next.count > 1, returnCount < Self.strays.count { return nil }
      current?.add(fix)
      (next, strayCount) = (nil, 0)
      return nil
    }
    returnCount = 0
    let isStaying = next?.contains(fix, within: radius) == true
    let stayed = next?.seconds ?? 0
    if isStaying {
      next?.add(fix)
      guard current == nil || stayed >= confirmation else { return nil }
    } else {
      let place = fix.isMoving ? nil : TripStay(fix, arrival: arrival, figures: figures)
      if stayed >= Self.strays.seconds, !keepsLonger || stayed >= current?.seconds ?? 0 {
        // The vehicle stayed at one place, and leaves it for another.
        let ended = exchange(&current, with: next)
        (next, strayCount) = (place, 1)
        return ended
      }
      let isMovingFar = fix.isMoving && fix.seconds - (current?.latest ?? 0) >= Self.sparseInterval
      (next, strayCount) = (place, strayCount + (isMovingFar ? 2 : 1))
      if let current {
        guard strayCount >= Self.strays.count, fix.seconds - current.latest >= Self.strays.seconds
        else { return nil }
      }
    }
    let ended = exchange(&current, with: next)
    (next, strayCount) = (nil, 0)
    return ended
  }

  /// Whether a location is at the current place, and not nearer to the other one.
  private func isAtCurrent(_ fix: TripFix) -> Bool {
    guard let current, current.contains(fix, within: radius) else { return false }
    guard let next, next.count > 1, next.contains(fix, within: radius) else { return true }
    return current.center.distance(to: fix.coordinate) <= next.center.distance(to: fix.coordinate)
  }

  /// The stay that has lasted for some seconds.
  func stay(lasting seconds: Double) -> TripStay? {
    if let current, current.isRest(of: seconds) { return current }
    if let next, next.isRest(of: seconds) { return next }
    return nil
  }
}
