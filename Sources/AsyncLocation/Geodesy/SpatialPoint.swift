/// A point on the ellipsoid, in metres from the Earth's centre.
///
/// The chord between two points is at most as long as the shortest path between them. The chord
/// also yields an upper bound of that path, which is close for short paths.
struct SpatialPoint: Sendable {
  private let x: Double
  private let y: Double
  private let z: Double

  private init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }

  @inline(__always)
  init(_ point: SphericalPoint) {
    x = WGS84.equatorialRadius * point.x
    y = WGS84.equatorialRadius * point.y
    z = WGS84.polarRadius * point.z
  }

  /// The straight-line distance in metres to the nearest point of a line segment.
  @inline(__always)
  func distance(toLineFrom start: Self, to end: Self) -> Double {
    let (line, offset) = (end - start, self - start)
    let square = line.dot(line)
    guard square > 0 else { return offset.length }
    let fraction = min(max(offset.dot(line) / square, 0), 1)
    return Self(
      x: offset.x - fraction * line.x, y: offset.y - fraction * line.y,
      z: offset.z - fraction * line.z
    ).length
  }

  /// The length in metres of the straight line to another point.
  func distance(to other: Self) -> Double { (self - other).length }

  @inline(__always)
  static func - (left: Self, right: Self) -> Self {
    Self(x: left.x - right.x, y: left.y - right.y, z: left.z - right.z)
  }

  @inline(__always)
  private func dot(_ other: Self) -> Double { x * other.x + y * other.y + z * other.z }

  @inline(__always)
  private var length: Double { dot(self).squareRoot() }

  // MARK: Paths on the surface

  /// An upper bound in metres for the shortest path between the ends of a chord.
  ///
  /// A curve with a radius of curvature of at least R and a chord c is at most as long as the arc
  /// of a circle, 2 R asin(c / 2R), by Schur's theorem (Chern, "Curves and surfaces in Euclidean
  /// space", 1967). The smallest radius of curvature of the ellipsoid is the meridian's radius at
  /// the equator. For long chords, the angle on the sphere of ``SphericalPoint`` bounds the path.
  @inline(__always)
  static func longestPath(chord: Double) -> Double {
    if chord < smallestRadius {
      return chord * boundOfArcsineRatio(chord / (2 * smallestRadius))
    }
    let sine = min(chord / (2 * WGS84.polarRadius), 1)
    return 2 * WGS84.equatorialRadius * sine * boundOfArcsineRatio(sine)
  }

  /// An upper bound of asin(x) / x for x in 0...1. The function is convex in x², so the straight
  /// line between its ends bounds it.
  @inline(__always)
  private static func boundOfArcsineRatio(_ sine: Double) -> Double {
    1 + (.pi / 2 - 1) * sine * sine
  }

  /// An upper bound in metres of the straight-line distance between a shortest path and its chord:
  /// the error of a linear interpolation, L² / 8R.
  static func bulge(chord: Double) -> Double {
    let path = longestPath(chord: chord)
    return path * path / (8 * smallestRadius) + rounding
  }

  private static let smallestRadius =
    WGS84.polarRadius * WGS84.polarRadius / WGS84.equatorialRadius
  /// Metres. Exceeds the rounding error of coordinates, which is about a nanometre.
  private static let rounding = 1e-7
}
