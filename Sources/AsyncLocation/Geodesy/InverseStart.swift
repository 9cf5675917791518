/// The starting azimuth of the search; Karney (2013), section 5.
enum InverseStart {
  enum Outcome: Sendable {
    /// The points are so close that the solution on a sphere is exact.
    case solved(InverseGeodesic.CanonicalSolution)
    case guess(Angle)
  }

  /// Radians. For shorter arcs, the error of the spherical solution is below a double's precision.
  private static let exactArc = 3e-8

  static func azimuth(_ frame: CanonicalFrame) -> Outcome {
    let (start, end) = (frame.start, frame.end)
    let apart = end - start
    let isShort =
      apart.cosine >= 0 && apart.sine < 0.5 && end.cosine * frame.longitude.radians < 0.5
    guard isShort else {
      let path = SphericalPath(start, end, frame.longitude)
      let nearAntipode =
        path.cosine < 0
        && path.sine < 6 * WGS84.thirdFlattening * .pi * start.cosine * start.cosine
      return .guess(eastward(nearAntipode ? nearlyAntipodal(frame) : path.startAzimuth))
    }
    // Uses a sphere that fits the mean latitude; equation 48.
    let mean = (start.cosine + end.cosine) / 2
    let scale = (1 - WGS84.eccentricitySquared * mean * mean).squareRoot()
    let path = SphericalPath(start, end, Angle(radians: min(.pi, frame.longitude.radians / scale)))
    guard path.sine < exactArc else { return .guess(eastward(path.startAzimuth)) }
    return .solved(
      InverseGeodesic.CanonicalSolution(
        distance: WGS84.equatorialRadius * scale * Double.atan2(path.sine, path.cosine),
        startAzimuth: path.startAzimuth, endAzimuth: path.endAzimuth))
  }

  /// Near the antipode, the envelope of the geodesics is an astroid, which determines the azimuth.
  private static func nearlyAntipodal(_ frame: CanonicalFrame) -> Angle {
    let (start, end) = (frame.start, frame.end)
    let k2 = WGS84.secondEccentricitySquared * start.sine * start.sine
    let epsilon = k2 / (2 * (1 + (1 + k2).squareRoot()) + k2)
    let width = WGS84.flattening * .pi * start.cosine * GeodesicSeries.a3(epsilon)
    let height = width * start.cosine
    // The vector from the antipode to the end in units of the astroid. Neither component is
    // positive.
    let x = -Double.atan2(frame.longitude.sine, -frame.longitude.cosine) / width
    let y = (start + end).sine / height
    // At opposite latitudes, within the astroid, the azimuth follows from x.
    if y > -1e-14, x > -1 - 1e-6 {
      let sine = min(1, -x)
      return Angle(sine: max(sine, 1e-16), cosine: -(max(0, 1 - sine * sine)).squareRoot())
    }
    let root = astroidRoot(x, y)
    // The astroid's spherical longitude leads to a better azimuth than the astroid's own azimuth.
    let supplement = -x * root / (1 + root) * width
    let longitude = Angle(sine: Double.sin(supplement), cosine: -Double.cos(supplement))
    return SphericalPath(start, end, longitude).startAzimuth
  }

  /// Replaces an azimuth that rounding has made unusable as the start of the search.
  private static func eastward(_ azimuth: Angle) -> Angle {
    azimuth.sine > 0 ? azimuth : Angle(sine: 1, cosine: 0)
  }

  /// The positive μ with x² / (1 + μ)² + y² / μ² = 1, by Newton's method; 0 if there is none. The
  /// left side is decreasing and convex, so the steps from below are monotonic and never overshoot.
  static func astroidRoot(_ x: Double, _ y: Double) -> Double {
    var root = max(abs(y), abs(x) - 1)
    guard root > 0 else { return 0 }
    for _ in 0..<50 {
      let (p, q) = (x / (1 + root), y / root)
      let excess = p * p + q * q - 1
      let step = excess / (2 * (p * p / (1 + root) + q * q / root))
      guard step > 1e-10 * root else { break }
      root += step
    }
    return root
  }

  /// A great circle between two points.
  private struct SphericalPath {
    let sine: Double
    let cosine: Double
    let startAzimuth: Angle
    let endAzimuth: Angle

    init(_ start: Angle, _ end: Angle, _ longitude: Angle) {
      let (sum, difference) = (end + start, end - start)
      let square = longitude.sine * longitude.sine
      // Of two equivalent forms, the one that avoids cancellation: for longitude differences near
      // 0° or near 180°.
      let isNear = longitude.cosine >= 0
      let versine = isNear ? square / (1 + longitude.cosine) : square / (1 - longitude.cosine)
      let northing =
        isNear
        ? difference.sine + end.cosine * start.sine * versine
        : sum.sine - end.cosine * start.sine * versine
      let easting = end.cosine * longitude.sine
      sine = Double.hypot(northing, easting)
      cosine = start.sine * end.sine + start.cosine * end.cosine * longitude.cosine
      startAzimuth = Angle(y: easting, x: northing)
      endAzimuth = Angle(
        y: start.cosine * longitude.sine,
        x: isNear
          ? difference.sine - start.cosine * end.sine * versine
          : start.cosine * end.sine * versine - sum.sine)
    }
  }
}
