/// The inverse problem: the shortest path between two points. Karney (2013), sections 4 and 5.
enum InverseGeodesic {
  /// The length of a path in metres and its initial azimuth.
  struct Solution: Sendable {
    let distance: Double
    let azimuth: Angle
  }

  /// Solves for any two points, including coincident and antipodal ones.
  static func solve(from start: Coordinate, to end: Coordinate) -> Solution {
    let frame = CanonicalFrame(from: start, to: end)
    return frame.restore(solve(frame))
  }

  /// A solution in the canonical frame, with the azimuths at both ends.
  struct CanonicalSolution: Sendable {
    let distance: Double
    let startAzimuth: Angle
    let endAzimuth: Angle
  }

  private static func solve(_ frame: CanonicalFrame) -> CanonicalSolution {
    let (start, end) = (frame.start, frame.end)
    if start.cosine == 0 || frame.longitude.sine == 0 {
      return meridian(frame)
    }
    if start.sine == 0, frame.longitude.radians <= .pi * (1 - WGS84.flattening) {
      // The path along the equator is the shortest before the cut locus.
      let east = Angle(sine: 1, cosine: 0)
      return CanonicalSolution(
        distance: WGS84.equatorialRadius * frame.longitude.radians,
        startAzimuth: east, endAzimuth: east)
    }
    switch InverseStart.azimuth(frame) {
    case .solved(let solution):
      return solution
    case .guess(let azimuth):
      let attempt = InverseSearch.run(frame, from: azimuth)
      return CanonicalSolution(
        distance: attempt.circle.distance(
          arc: attempt.arc, from: attempt.arcStart, to: attempt.arcEnd),
        startAzimuth: attempt.azimuth,
        endAzimuth: endAzimuth(start: start, azimuth: attempt.azimuth, end: end))
    }
  }

  /// A path along a meridian, over a pole if necessary. On an oblate ellipsoid it is always the
  /// shortest.
  private static func meridian(_ frame: CanonicalFrame) -> CanonicalSolution {
    // The longitude difference is also the azimuth: 0° or 180° on a meridian, any angle at a pole.
    let startAzimuth = frame.longitude
    let circle = GreatCircle(reducedLatitude: frame.start, azimuth: startAzimuth)
    let arcStart = Angle(
      sine: frame.start.sine, cosine: startAzimuth.cosine * frame.start.cosine)
    let length = (frame.end - arcStart).arc
    return CanonicalSolution(
      distance: circle.distance(arc: length, from: arcStart, to: frame.end),
      startAzimuth: startAzimuth, endAzimuth: Angle(sine: 0, cosine: 1))
  }

  /// The azimuth at the end of a geodesic with a known start; equations 5 and 45. Equation 45 is in
  /// a form that avoids cancellation when the latitudes are nearly equal or opposite.
  static func endAzimuth(start: Angle, azimuth: Angle, end: Angle) -> Angle {
    // At equal or opposite latitudes, the azimuth follows from the start's without rounding.
    guard end.cosine != start.cosine || abs(end.sine) != -start.sine else {
      return Angle(sine: azimuth.sine, cosine: abs(azimuth.cosine))
    }
    let meridional = azimuth.cosine * start.cosine
    let difference =
      start.cosine < -start.sine
      ? (end.cosine - start.cosine) * (end.cosine + start.cosine)
      : (start.sine - end.sine) * (start.sine + end.sine)
    return Angle(
      sine: azimuth.sine * start.cosine / end.cosine,
      cosine: max(0, meridional * meridional + difference).squareRoot() / end.cosine)
  }
}
