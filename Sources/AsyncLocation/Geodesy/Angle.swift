/// An angle stored as its sine and cosine: exact at multiples of 90° and precise near them.
struct Angle: Sendable, Hashable {
  let sine: Double
  let cosine: Double

  /// Stores a sine and a cosine of the same angle.
  init(sine: Double, cosine: Double) {
    (self.sine, self.cosine) = (sine, cosine)
  }

  /// The direction of a point from the origin; zero if the point is the origin.
  init(y: Double, x: Double) {
    let length = Double.hypot(x, y)
    (sine, cosine) = length > 0 ? (y / length, x / length) : (0, 1)
  }

  init(radians: Double) {
    (sine, cosine) = (Double.sin(radians), Double.cos(radians))
  }

  init(degrees: Double) {
    // Both subtractions are exact, so the sine of 180° and the cosine of 90° are exactly 0.
    let turn = degrees.remainder(dividingBy: 360)
    let quarters = (turn / 90).rounded()
    let rest = (turn - 90 * quarters) * (.pi / 180)
    let (sine, cosine) = (Double.sin(rest), Double.cos(rest))
    (self.sine, self.cosine) =
      switch quarters {
      case 0: (sine, cosine)
      case 1: (cosine, -sine)
      case -1: (-cosine, sine)
      default: (-sine, -cosine)
      }
  }

  /// In -π...π.
  var radians: Double { Double.atan2(sine, cosine) }
  /// In 0...π. An angle that is negative only because of rounding becomes 0.
  var arc: Double { Double.atan2(sine > 0 ? sine : 0, cosine) }
  /// In -180...180.
  var degrees: Double { radians * (180 / .pi) }
  /// In 0..<360.
  var bearing: Double {
    let degrees = degrees
    // For the smallest negative angles the sum rounds to 360. Negative zero becomes zero.
    let bearing = degrees < 0 ? degrees + 360 : degrees
    return bearing == 360 || bearing == 0 ? 0 : bearing
  }

  static func + (left: Self, right: Self) -> Self {
    Self(
      sine: left.sine * right.cosine + left.cosine * right.sine,
      cosine: left.cosine * right.cosine - left.sine * right.sine)
  }

  static func - (left: Self, right: Self) -> Self {
    Self(
      sine: left.sine * right.cosine - left.cosine * right.sine,
      cosine: left.cosine * right.cosine + left.sine * right.sine)
  }
}
