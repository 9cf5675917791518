/// Measures the distance that a device has moved, to exclude boundaries that it cannot have
/// reached.
///
/// An anchor follows the device within a tolerance. The measured distance is the path of the anchor
/// plus the distance from the anchor to the device, so movement back and forth within the tolerance
/// does not accumulate.
struct Odometer: Sendable {
  private var anchor: SphericalPoint
  /// Metres along the path of the anchor.
  private var travelled = 0.0
  /// Metres from the anchor to the device.
  private var away = 0.0

  init(at point: SphericalPoint) { anchor = point }

  /// The measured distance in metres.
  var reading: Double { travelled + away }

  /// Returns the reading until which the device is certainly within a distance in metres of its
  /// current position.
  func reading(after distance: Double) -> Double { travelled - away + distance }

  /// Moves the device to a point.
  ///
  /// - Parameter tolerance: The distance in metres that the device may be away from the anchor
  ///   before the anchor follows.
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
  /// An upper bound in metres of the distance to another point.
  fileprivate func longestPath(to other: Self) -> Double {
    SpatialPoint.longestPath(chord: SpatialPoint(self).distance(to: SpatialPoint(other)))
  }
}
