/// Two points, mirrored and swapped so that one canonical case covers all configurations.
///
/// The start is in the southern hemisphere or on the equator, at least as far from the equator as
/// the end. The end is at most 180° east of the start. Karney (2013), equation 44.
struct CanonicalFrame: Sendable {
  /// Reduced latitude of the start, -90...0 degrees.
  let start: Angle
  /// Reduced latitude of the end.
  let end: Angle
  /// The longitude from the start to the end, 0...180 degrees.
  let longitude: Angle

  private let isWestward: Bool
  private let isSwapped: Bool
  private let isMirrored: Bool

  init(from: Coordinate, to: Coordinate) {
    let difference = Self.difference(from.longitude, to.longitude)
    isWestward = difference.sine < 0
    longitude = isWestward ? Angle(sine: -difference.sine, cosine: difference.cosine) : difference
    let (first, second) = (Self.latitude(from.latitude), Self.latitude(to.latitude))
    isSwapped = abs(first) < abs(second)
    let (outer, inner) = isSwapped ? (second, first) : (first, second)
    // Mirrors points on the equator too: of two equally short paths, the northern one is returned.
    isMirrored = outer >= 0
    start = DirectGeodesic.reducedLatitude(degrees: isMirrored ? -outer : outer)
    end = DirectGeodesic.reducedLatitude(degrees: isMirrored ? -inner : inner)
  }

  /// Converts a solution back to the original points.
  func restore(
    _ solution: InverseGeodesic.CanonicalSolution
  ) -> InverseGeodesic.Solution {
    // Swapping reflects the path east to west and reverses it. Together, the reflection and the
    // reversal only negate the north component.
    let azimuth = isSwapped ? solution.endAzimuth : solution.startAzimuth
    return InverseGeodesic.Solution(
      distance: solution.distance,
      azimuth: Angle(
        sine: isWestward ? -azimuth.sine : azimuth.sine,
        cosine: isMirrored != isSwapped ? -azimuth.cosine : azimuth.cosine))
  }

  /// The longitude difference of two points, corrected by the rounding error of the subtraction
  /// (Knuth's two-sum). A difference of 180° counts as eastward.
  private static func difference(_ from: Double, _ to: Double) -> Angle {
    let sum = to - from
    let part = sum + from
    let lost = (to - part) - (from - (part - sum))
    let angle = Angle(degrees: sum)
    let rest = lost * (.pi / 180)
    let sine = angle.sine + rest * angle.cosine
    let cosine = angle.cosine - rest * angle.sine
    return Angle(sine: abs(sine) < negligible ? 0 : sine, cosine: cosine)
  }

  /// Latitudes within 1e-18° of the equator become zero, because their squares would be lost later.
  private static func latitude(_ degrees: Double) -> Double {
    abs(degrees) < negligible ? 0 : degrees
  }

  /// Degrees of latitude, or the sine of a longitude.
  private static let negligible = 1e-18
}
