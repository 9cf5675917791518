/// The great circle on the auxiliary sphere that corresponds to a geodesic.
///
/// Its latitudes are reduced latitudes; its azimuths equal those on the ellipsoid. Karney (2013),
/// section 2.
struct GreatCircle: Sendable {
  /// The sine of the azimuth α₀ at the northward equator crossing; equation 5.
  let sineAzimuth: Double
  /// The cosine of α₀; not negative.
  let cosineAzimuth: Double
  /// e'² cos² α₀; equation 9.
  let k2: Double
  /// The expansion parameter ε of all series; equation 16.
  let epsilon: Double

  /// The circle through a point with a reduced latitude and an azimuth.
  init(reducedLatitude: Angle, azimuth: Angle) {
    sineAzimuth = azimuth.sine * reducedLatitude.cosine
    let meridional = azimuth.cosine
    let zonal = azimuth.sine * reducedLatitude.sine
    cosineAzimuth = (meridional * meridional + zonal * zonal).squareRoot()
    k2 = WGS84.secondEccentricitySquared * cosineAzimuth * cosineAzimuth
    epsilon = k2 / (2 * (1 + (1 + k2).squareRoot()) + k2)
  }

  /// The arc from the equator crossing to a point, σ; equation 11.
  static func arc(reducedLatitude: Angle, azimuth: Angle) -> Angle {
    Angle(y: reducedLatitude.sine, x: azimuth.cosine * reducedLatitude.cosine)
  }

  /// The longitude on the sphere from the equator crossing to a point, ω; equation 12 divided by
  /// the cosine of the latitude, so that it also holds at the poles.
  static func sphericalLongitude(reducedLatitude: Angle, azimuth: Angle) -> Angle {
    Angle(y: azimuth.sine * reducedLatitude.sine, x: azimuth.cosine)
  }

  /// The longitude on the sphere minus the longitude on the ellipsoid; equation 8.
  func longitudeLag(arc: Double, from start: Angle, to end: Angle) -> Double {
    WGS84.flattening * sineAzimuth * GeodesicSeries.a3(epsilon)
      * (arc + GeodesicSeries.c3(epsilon).difference(end, start))
  }

  /// The length in metres of a segment of the geodesic; equations 7 and 15.
  func distance(arc: Double, from start: Angle, to end: Angle) -> Double {
    WGS84.polarRadius * GeodesicSeries.a1(epsilon)
      * (arc + GeodesicSeries.c1(epsilon).difference(end, start))
  }

  /// The reduced length in polar radii: the separation at the end, per radian, of two geodesics
  /// that diverge by a small angle at the start; equations 38 to 41.
  func reducedLength(arc: Double, from start: Angle, to end: Angle) -> Double {
    let a1 = GeodesicSeries.a1(epsilon)
    let a2 = GeodesicSeries.a2(epsilon)
    let integral =
      (a1 - a2) * arc + a1 * GeodesicSeries.c1(epsilon).difference(end, start)
      - a2 * GeodesicSeries.c2(epsilon).difference(end, start)
    return (1 + k2 * end.sine * end.sine).squareRoot() * start.cosine * end.sine
      - (1 + k2 * start.sine * start.sine).squareRoot() * start.sine * end.cosine
      - start.cosine * end.cosine * integral
  }
}
