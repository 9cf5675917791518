/// The points of the sphere within an angle of a point.
struct SphericalCap: Sendable, Hashable {
  let center: SphericalPoint
  /// Radians.
  let angle: Double

  init(center: SphericalPoint, angle: Double) { (self.center, self.angle) = (center, angle) }

  /// A cap that contains points and, if it is smaller than a hemisphere, the arcs between them.
  ///
  /// The cap around the mean of the points is at most twice as wide as the smallest cap. If it is
  /// wider than `sufficient`, the smallest cap is computed instead.
  ///
  /// - Parameters:
  ///   - points: At least one point.
  ///   - sufficient: The angle in radians up to which the cap around the mean is accepted.
  init(containing points: some Collection<SphericalPoint>, sufficient: Double) {
    let sum = points.reduce(SphericalPoint(x: 0, y: 0, z: 0), +)
    var center = sum.length > 1e-9 * Double(points.count) ? sum.normalized : points.first!
    var angle = Self.angle(from: center, to: points)
    if angle > sufficient {
      center = Self.centerOfSmallest(containing: points)
      angle = Self.angle(from: center, to: points)
    }
    self.init(center: center, angle: angle * (1 + 1e-12) + 1e-15)
  }

  /// The largest angle from a center to the points.
  private static func angle(
    from center: SphericalPoint, to points: some Collection<SphericalPoint>
  ) -> Double {
    points.reduce(0) { max($0, center.angle(to: $1)) }
  }

  // MARK: The smallest cap

  /// A cap that is determined by at most three points on its rim.
  private struct Rim {
    let center: SphericalPoint
    let points: [SphericalPoint]

    /// The cap with two or three points on its rim; nil if it is not unique.
    init?(_ points: [SphericalPoint]) {
      let axis =
        points.count == 2
        ? points[0] + points[1] : (points[1] - points[0]).cross(points[2] - points[0])
      guard axis.length > 1e-12 else { return nil }
      center = axis.dot(points[0]) < 0 ? axis.normalized * -1 : axis.normalized
      self.points = points
    }

    init(_ point: SphericalPoint) { (center, points) = (point, [point]) }

    /// The cosine of the angle.
    var cosine: Double { center.dot(points[0]) }

    func contains(_ point: SphericalPoint) -> Bool { center.dot(point) >= cosine - 1e-13 }
  }

  /// Adds the farthest point to the rim until the cap contains all points. Each step widens the
  /// cap, and few steps are needed.
  private static func centerOfSmallest(
    containing points: some Collection<SphericalPoint>
  ) -> SphericalPoint {
    var rim = Rim(points.first!)
    for _ in 0..<maximumSteps {
      let farthest = points.min { rim.center.dot($0) < rim.center.dot($1) }!
      guard !rim.contains(farthest), let next = widen(rim, to: farthest) else { break }
      rim = next
    }
    return rim.center
  }

  /// A limit of steps, because rounding errors could make the search repeat the same rims. Every
  /// result is valid, because the angle of the final cap is measured to all points.
  private static let maximumSteps = 100

  /// The smallest cap that contains the rim points of another cap and has a new point on its own
  /// rim.
  private static func widen(_ rim: Rim, to point: SphericalPoint) -> Rim? {
    var choices = rim.points.map { [point, $0] }
    for (index, first) in rim.points.enumerated() {
      choices += rim.points[..<index].map { [point, first, $0] }
    }
    return choices.compactMap { Rim($0) }
      .filter { rim.points.allSatisfy($0.contains) }
      .max { $0.cosine < $1.cosine }
  }
}
