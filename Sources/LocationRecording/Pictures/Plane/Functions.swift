#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The C library's mathematical functions that pictures use.
extension Double {
  static func sine(_ angle: Double) -> Double { sin(angle) }
  static func cosine(_ angle: Double) -> Double { cos(angle) }
  static func tangent(_ angle: Double) -> Double { tan(angle) }
  static func arcTangent(_ number: Double) -> Double { atan(number) }
  static func arcTangent(_ y: Double, _ x: Double) -> Double { atan2(y, x) }
  static func hyperbolicSine(_ number: Double) -> Double { sinh(number) }
  static func inverseHyperbolicSine(_ number: Double) -> Double { asinh(number) }
  static func length(_ x: Double, _ y: Double) -> Double { (x * x + y * y).squareRoot() }
  static func commonLogarithm(_ number: Double) -> Double { log10(number) }
  static func power(ofTen exponent: Double) -> Double { pow(10, exponent) }

  var radians: Double { self * .pi / 180 }
  var degrees: Double { self * 180 / .pi }
}
