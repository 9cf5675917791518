/// The distance that a device has moved. It shows which boundaries the device cannot have reached.
///
/// Distances are measured from an anchor that the device drags along on a leash. So movement within
/// the length of the leash, to and fro, adds nothing.
struct Odometer: Sendable {
  private var anchor: SphericalPoint
  /// Metres along the way of the anchor.
  private var travelled = 0.0
  /// Metres from the anchor to the device.
  private var away = 0.0

  init(at point: SphericalPoint) { anchor = point }

  /// Metres.
  var reading: Double { travelled + away }

  /// While readings are below the result, the device is within a distance, in metres, of its present
  /// position.
  func reading(after distance: Double) -> Double { travelled - away + distance }

  /// - Parameter leash: Metres.
  mutating func move(to point: SphericalPoint, leash: Double) {
    away = anchor.longestPath(to: point)
    guard away > leash else { return }
    let next = (anchor * (leash / away) + point * (1 - leash / away)).normalized
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
