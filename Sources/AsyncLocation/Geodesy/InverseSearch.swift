/// Finds the azimuth of the geodesic that reaches a point, by Newton's method within a bracket.
///
/// Karney (2013), section 4.
enum InverseSearch {
  /// The result of one trial azimuth.
  struct Attempt: Sendable {
    let azimuth: Angle
    let circle: GreatCircle
    let arcStart: Angle
    let arcEnd: Angle
    /// Radians on the sphere, 0...π.
    let arc: Double
    /// The longitude at which the geodesic crosses the end's parallel, in radians east of the end.
    let excess: Double

    init(_ frame: CanonicalFrame, _ azimuth: Angle) {
      let (start, end) = (frame.start, frame.end)
      let endAzimuth = InverseGeodesic.endAzimuth(start: start, azimuth: azimuth, end: end)
      self.azimuth = azimuth
      circle = GreatCircle(reducedLatitude: start, azimuth: azimuth)
      arcStart = GreatCircle.arc(reducedLatitude: start, azimuth: azimuth)
      arcEnd = GreatCircle.arc(reducedLatitude: end, azimuth: endAzimuth)
      arc = (arcEnd - arcStart).arc
      let startLongitude = GreatCircle.sphericalLongitude(reducedLatitude: start, azimuth: azimuth)
      let endLongitude = Angle(y: circle.sineAzimuth * arcEnd.sine, x: arcEnd.cosine)
      let turned = endLongitude - startLongitude
      // Rounding can make the sine negative near 0° and 180°.
      let beyond = Angle(sine: max(0, turned.sine), cosine: turned.cosine) - frame.longitude
      excess = beyond.radians - circle.longitudeLag(arc: arc, from: arcStart, to: arcEnd)
    }

    /// The derivative of the excess with respect to the azimuth; equation 46.
    func slope(_ frame: CanonicalFrame) -> Double {
      let (start, end) = (frame.start, frame.end)
      let endAzimuth = InverseGeodesic.endAzimuth(start: start, azimuth: azimuth, end: end)
      // Equation 46 is indeterminate for an end azimuth of 90°; this is the limit.
      guard endAzimuth.cosine > 0 else {
        let cosine = start.cosine
        return -2 * (1 - WGS84.eccentricitySquared * cosine * cosine).squareRoot() / start.sine
      }
      return circle.reducedLength(arc: arc, from: arcStart, to: arcEnd)
        * (1 - WGS84.flattening) / (endAzimuth.cosine * end.cosine)
    }
  }

  /// Radians: about two nanometres of longitude, the smallest change that one step can resolve.
  private static let resolution = 4e-16
  /// Radians. From a smaller excess, one more step either reaches the resolution or changes only
  /// rounding errors.
  private static let noise = 2e-14
  /// The number of steps that may use Newton's method; later steps only bisect the bracket.
  private static let newtonSteps = 20
  /// The maximum number of steps. The bisections after ``newtonSteps`` exhaust a double's
  /// precision.
  private static let steps = 100

  static func run(_ frame: CanonicalFrame, from guess: Angle) -> Attempt {
    // The excess increases with the azimuth from due north to due south.
    var low = Angle(sine: 1e-150, cosine: 1)
    var high = Angle(sine: 1e-150, cosine: -1)
    var azimuth = guess
    var attempt = Attempt(frame, azimuth)
    var wasNoise = false
    for step in 0..<steps {
      let isNoise = abs(attempt.excess) <= noise
      if abs(attempt.excess) <= resolution || isNoise && wasNoise { break }
      wasNoise = isNoise
      if attempt.excess > 0 { high = azimuth } else { low = azimuth }
      let middle = Angle(y: low.sine + high.sine, x: low.cosine + high.cosine)
      azimuth = middle
      if step < newtonSteps {
        let turn = -attempt.excess / attempt.slope(frame)
        let next = attempt.azimuth + Angle(radians: turn)
        if abs(turn) < .pi, next.sine > 0, isWithin(next, low, high) {
          azimuth = Angle(y: next.sine, x: next.cosine)
        }
      }
      guard azimuth != attempt.azimuth else { break }
      attempt = Attempt(frame, azimuth)
    }
    return attempt
  }

  private static func isWithin(_ angle: Angle, _ low: Angle, _ high: Angle) -> Bool {
    let slope = angle.cosine / angle.sine
    return slope <= low.cosine / low.sine && slope >= high.cosine / high.sine
  }
}
