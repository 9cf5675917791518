/// The ellipsoid of all coordinates: World Geodetic System 1984, NGA.STND.0036, table 3.1.
package enum WGS84 {
  /// The equatorial radius in metres.
  static let equatorialRadius = 6_378_137.0
  /// The flattening, (a − b) / a.
  static let flattening = 1 / 298.257223563
  /// The polar radius in metres.
  static let polarRadius = equatorialRadius * (1 - flattening)
  /// The third flattening, (a − b) / (a + b).
  static let thirdFlattening = flattening / (2 - flattening)
  /// The length in metres of a degree of latitude at the equator, where it is shortest.
  static let shortestDegree =
    equatorialRadius * (1 - flattening) * (1 - flattening) * (.pi / 180)
  /// (a² − b²) / a².
  static let eccentricitySquared = flattening * (2 - flattening)
  /// (a² − b²) / b².
  static let secondEccentricitySquared =
    eccentricitySquared / ((1 - flattening) * (1 - flattening))

  /// The radii of curvature at a geodetic latitude in radians, in metres: of the meridian, and of
  /// the prime vertical.
  package static func radii(atLatitude latitude: Double) -> (
    meridian: Double, primeVertical: Double
  ) {
    let sine = Double.sin(latitude)
    let shape = 1 - eccentricitySquared * sine * sine
    return (
      equatorialRadius * (1 - eccentricitySquared) / (shape * shape.squareRoot()),
      equatorialRadius / shape.squareRoot()
    )
  }
}
