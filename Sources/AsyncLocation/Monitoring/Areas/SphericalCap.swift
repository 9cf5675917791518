/// The points of the sphere within an angle of a point.
struct SphericalCap: Sendable, Hashable {
  let center: SphericalPoint
  /// Radians.
  let angle: Double

  init(center: SphericalPoint, angle: Double) { (self.center, self.angle) = (center, angle) }

  /// A cap that contains points and the arcs between them; nil if they do not fit into a
  /// hemisphere. It is at most twice as wide as the smallest.
  init?(containing points: some Collection<SphericalPoint>) {
    let sum = points.reduce(SphericalPoint(x: 0, y: 0, z: 0), +)
    let length = sum.length
    guard length > 1e-9 * Double(points.count) else { return nil }
    let center = sum * (1 / length)
    let angle = points.reduce(0) { max($0, center.angle(to: $1)) }
    guard angle < .pi / 2 else { return nil }
    self.init(center: center, angle: angle * (1 + 1e-12) + 1e-15)
  }
}
