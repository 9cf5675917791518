/// Measures the distance that a device has moved, to exclude boundaries that it cannot have
/// reached.
///
/// An anchor follows the device within a tolerance. The distance is the path of the anchor plus the
/// distance from the anchor to the device. So movement back and forth within the
/// tolerance does not accumulate.
struct Odometer: Sendable {
  private var anchor: SphericalPoint
  /// Metres along the path of the anchor.
  private var travelled = 0.0
  /// Metres from the anchor to the device.
  private var away = 0.0

  init(at point: SphericalPoint) { anchor = point }

  /// Metres.
  var reading: Double { travelled + away }

  /// Returns the reading below which the device is within a distance in metres of its current
  /// position.
  func reading(after distance: Double) -> Double { travelled - away + distance }

  /// - Parameter tolerance: Metres.
  mutating func move(to point: SphericalPoint, tolerance: Double) {
    away = anchor.longestPath(to: point)
    guard away > tolerance else { return }
    let next = (anchor * (tolerance / away) + point * (1 - tolerance / away)).normalized
    travelled += anchor.longestPath(to: next)
    away = next.longestPath(to: point)
    anchor = next
  }
}

extension SphericalPoint {
  /// A bound in metres of the distance to another point, from above.
  fileprivate func longestPath(to other: Self) -> Double {
    SpatialPoint.longestPath(chord: SpatialPoint(self).distance(to: SpatialPoint(other)))
  }
}
