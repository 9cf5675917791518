import Glibc

/// An angle as its sine and cosine: exact at quarter turns, precise near them.
struct Angle: Sendable, Hashable {
  let sine: Double
  let cosine: Double

  /// Takes a sine and a cosine that already belong together.
  init(sine: Double, cosine: Double) {
    (self.sine, self.cosine) = (sine, cosine)
  }

  /// The direction of a point from the origin; zero for the origin itself.
  init(y: Double, x: Double) {
    let length = hypot(x, y)
    (sine, cosine) = length > 0 ? (y / length, x / length) : (0, 1)
  }

  init(radians: Double) {
    (sine, cosine) = (sin(radians), cos(radians))
  }

  init(degrees: Double) {
    // Both subtractions are exact, so that 180 has the sine 0 and 90 the cosine 0.
    let turn = degrees.remainder(dividingBy: 360)
    let quarters = (turn / 90).rounded()
    let rest = (turn - 90 * quarters) * (.pi / 180)
    let (sine, cosine) = (sin(rest), cos(rest))
    (self.sine, self.cosine) =
      switch quarters {
      case 0: (sine, cosine)
      case 1: (cosine, -sine)
      case -1: (-cosine, sine)
      default: (-sine, -cosine)
      }
  }

  /// In -π...π.
  var radians: Double { atan2(sine, cosine) }
  /// In 0...π, for an angle that rounding alone can have made negative.
  var arc: Double { atan2(sine > 0 ? sine : 0, cosine) }
  /// In -180...180.
  var degrees: Double { radians * (180 / .pi) }
  /// In 0..<360.
  var bearing: Double {
    let degrees = degrees
    // The sum rounds up to 360 for the smallest negative angles.
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
