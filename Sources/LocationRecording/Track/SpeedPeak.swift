/// The greatest speed of a track without its outliers. Pure, and of constant size.
///
/// A speed counts when the points beside it confirm it: a receiver's own speed at two points in a row,
/// a speed between positions in three steps in a row, since one wrong position makes two fast steps.
/// Without any that is confirmed, the greatest of the least speeds of the segments counts.
struct SpeedPeak: Sendable, Hashable {
  private enum Origin { case receiver, positions }

  /// In metres per second.
  private var confirmed: Double?
  /// That of the segments before, which have no confirmed one.
  private var unconfirmed: Double?
  /// The last speeds of one origin in a row.
  private var (last, beforeLast): (Double?, Double?)
  private var origin = Origin.receiver

  /// Metres per second; nil without a speed.
  var value: Double? {
    if let confirmed { return confirmed }
    guard let last else { return unconfirmed }
    return max(unconfirmed ?? 0, min(last, beforeLast ?? last))
  }

  mutating func beginSegment() {
    unconfirmed = value
    (last, beforeLast) = (nil, nil)
  }

  /// Adds the speed that a receiver reports.
  mutating func add(reported speed: Double) { add(speed, .receiver) }

  /// Adds the speed between two positions.
  mutating func add(derived speed: Double) { add(speed, .positions) }

  private mutating func add(_ speed: Double, _ origin: Origin) {
    if origin != self.origin { (last, beforeLast, self.origin) = (nil, nil, origin) }
    defer { (last, beforeLast) = (speed, last) }
    guard let last else { return }
    let least: Double
    switch origin {
    case .receiver: least = min(speed, last)
    case .positions:
      guard let beforeLast else { return }
      least = min(speed, last, beforeLast)
    }
    confirmed = max(confirmed ?? 0, least)
  }
}
