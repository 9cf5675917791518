/// The integrals along a geodesic, as series in the small parameter ε of its great circle.
///
/// C. F. F. Karney, "Algorithms for geodesics", Journal of Geodesy 87, 43–55 (2013),
/// doi:10.1007/s00190-012-0578-z; each function names its equation. The series are of sixth order
/// in the flattening, which leaves errors below a nanometre on the Earth. In each function, `e` is
/// ε; `p2`, `p3` and `p4` are the powers of ε before a polynomial.
enum GeodesicSeries {
  /// The factor of the distance integral; equation 17.
  static func a1(_ e: Double) -> Double {
    let e2 = e * e
    return (1 + e2 * (1.0 / 4 + e2 * (1.0 / 64 + e2 / 256))) / (1 - e)
  }

  /// Converts arc length on the sphere to distance; equation 18.
  static func c1(_ e: Double) -> SineSeries {
    let (e2, p2) = (e * e, e * e)
    let (p3, p4) = (p2 * e, p2 * p2)
    return SineSeries(
      c1: e * (-1.0 / 2 + e2 * (3.0 / 16 - e2 / 32)),
      c2: p2 * (-1.0 / 16 + e2 * (1.0 / 32 - e2 * 9 / 2048)),
      c3: p3 * (-1.0 / 48 + e2 * 3 / 256),
      c4: p4 * (-5.0 / 512 + e2 * 3 / 512),
      c5: p4 * e * (-7.0 / 1280),
      c6: p4 * p2 * (-7.0 / 2048))
  }

  /// Converts distance to arc length; equation 21.
  static func c1Reverted(_ e: Double) -> SineSeries {
    let (e2, p2) = (e * e, e * e)
    let (p3, p4) = (p2 * e, p2 * p2)
    return SineSeries(
      c1: e * (1.0 / 2 + e2 * (-9.0 / 32 + e2 * 205 / 1536)),
      c2: p2 * (5.0 / 16 + e2 * (-37.0 / 96 + e2 * 1335 / 4096)),
      c3: p3 * (29.0 / 96 - e2 * 75 / 128),
      c4: p4 * (539.0 / 1536 - e2 * 2391 / 2560),
      c5: p4 * e * (3467.0 / 7680),
      c6: p4 * p2 * (38081.0 / 61440))
  }

  /// The factor of the second integral of the reduced length; equation 42.
  static func a2(_ e: Double) -> Double {
    let e2 = e * e
    return (1 + e2 * (1.0 / 4 + e2 * (9.0 / 64 + e2 * 25 / 256))) * (1 - e)
  }

  /// The second integral of the reduced length; equation 43.
  static func c2(_ e: Double) -> SineSeries {
    let (e2, p2) = (e * e, e * e)
    let (p3, p4) = (p2 * e, p2 * p2)
    return SineSeries(
      c1: e * (1.0 / 2 + e2 * (1.0 / 16 + e2 / 32)),
      c2: p2 * (3.0 / 16 + e2 * (1.0 / 32 + e2 * 35 / 2048)),
      c3: p3 * (5.0 / 48 + e2 * 5 / 256),
      c4: p4 * (35.0 / 512 + e2 * 7 / 512),
      c5: p4 * e * (63.0 / 1280),
      c6: p4 * p2 * (77.0 / 2048))
  }

  /// The factor of the longitude integral; equation 24, in the third flattening n.
  static func a3(_ e: Double) -> Double {
    let n = WGS84.thirdFlattening
    // The coefficients of ε², ε³ and ε⁴.
    let e2 = 1.0 / 4 + n * (1.0 / 8 - n * 3 / 8)
    let e3 = 1.0 / 16 + n * (3.0 / 16 + n / 16)
    let e4 = 3.0 / 64 + n / 32
    return 1 - e * ((1 - n) / 2 + e * (e2 + e * (e3 + e * (e4 + e * 3 / 128))))
  }

  /// Converts longitude on the sphere to longitude on the ellipsoid; equation 25.
  static func c3(_ e: Double) -> SineSeries {
    let n = WGS84.thirdFlattening
    let p2 = e * e
    let p4 = p2 * p2
    // The first digit names the coefficient of the series, the second the power of ε.
    let c13 = 3.0 / 64 + n * (3.0 / 64 - n / 64)
    let c14 = 5.0 / 128 + n / 64
    let c22 = 1.0 / 16 + n * (-3.0 / 32 + n / 32)
    let c23 = 3.0 / 64 + n * (-1.0 / 32 - n * 3 / 64)
    let c24 = 3.0 / 128 + n / 128
    let c33 = 5.0 / 192 + n * (-3.0 / 64 + n * 5 / 192)
    let c34 = 3.0 / 128 - n * 5 / 192
    return SineSeries(
      c1: e * ((1 - n) / 4 + e * ((1 - n * n) / 8 + e * (c13 + e * (c14 + e * 3 / 128)))),
      c2: p2 * (c22 + e * (c23 + e * (c24 + e * 5 / 256))),
      c3: p2 * e * (c33 + e * (c34 + e * 7 / 512)),
      c4: p4 * (7.0 / 512 - n * 7 / 256 + e * 7 / 512),
      c5: p4 * e * (21.0 / 2560))
  }
}

/// The sum c₁ sin 2σ + … + c₆ sin 12σ.
struct SineSeries: Sendable {
  var c1 = 0.0
  var c2 = 0.0
  var c3 = 0.0
  var c4 = 0.0
  var c5 = 0.0
  var c6 = 0.0

  /// The sum at an angle, by Clenshaw's recurrence (Math. Tables Aids Comp. 9, 1955).
  func sum(at angle: Angle) -> Double {
    let twice = 2 * (angle.cosine - angle.sine) * (angle.cosine + angle.sine)  // 2 cos 2σ
    let b5 = twice * c6 + c5
    let b4 = twice * b5 - c6 + c4
    let b3 = twice * b4 - b5 + c3
    let b2 = twice * b3 - b4 + c2
    let b1 = twice * b2 - b3 + c1
    return 2 * angle.sine * angle.cosine * b1
  }

  /// The sum at one angle minus the sum at another.
  func difference(_ end: Angle, _ start: Angle) -> Double { sum(at: end) - sum(at: start) }
}
