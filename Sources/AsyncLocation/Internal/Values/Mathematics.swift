import Glibc

/// The mathematical functions of the C library that the core uses. Other files call these wrappers.
extension Double {
  @inline(__always) static func sin(_ angle: Double) -> Double { Glibc.sin(angle) }
  @inline(__always) static func cos(_ angle: Double) -> Double { Glibc.cos(angle) }
  @inline(__always) static func atan2(_ y: Double, _ x: Double) -> Double { Glibc.atan2(y, x) }
  @inline(__always) static func tan(_ angle: Double) -> Double { Glibc.tan(angle) }
  @inline(__always) static func hypot(_ x: Double, _ y: Double) -> Double { Glibc.hypot(x, y) }
}
