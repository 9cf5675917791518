/// The direct problem: the end point of a geodesic. Karney (2013), section 2.
enum DirectGeodesic {
  /// The end of a geodesic: latitude and longitude in degrees, and its azimuth there.
  typealias End = (latitude: Double, longitude: Double, azimuth: Angle)

  /// Returns the end of a geodesic with a length in metres.
  static func end(from start: Coordinate, azimuth: Angle, distance: Double) -> End {
    let latitude = reducedLatitude(degrees: start.latitude)
    let circle = GreatCircle(reducedLatitude: latitude, azimuth: azimuth)
    let arcStart = GreatCircle.arc(reducedLatitude: latitude, azimuth: azimuth)
    // The distance is proportional to τ, not to σ; equations 18 to 20.
    let scaled =
      distance / (WGS84.polarRadius * GeodesicSeries.a1(circle.epsilon))
    let lead = GeodesicSeries.c1(circle.epsilon).sum(at: arcStart)
    let scaledEnd = arcStart + Angle(radians: lead + scaled)
    let arc =
      scaled + lead + GeodesicSeries.c1Reverted(circle.epsilon).sum(at: scaledEnd)
    let arcEnd = arcStart + Angle(radians: arc)
    let sphericalStart = GreatCircle.sphericalLongitude(
      reducedLatitude: latitude, azimuth: azimuth)
    let sphericalEnd = Angle(y: circle.sineAzimuth * arcEnd.sine, x: arcEnd.cosine)
    let lag = circle.longitudeLag(arc: arc, from: arcStart, to: arcEnd)
    let turned = (sphericalEnd - sphericalStart - Angle(radians: lag)).degrees
    let northing = circle.cosineAzimuth * arcEnd.sine
    let axial = Double.hypot(circle.sineAzimuth, circle.cosineAzimuth * arcEnd.cosine)
    let end = Angle(y: northing, x: (1 - WGS84.flattening) * axial)
    return (
      min(max(end.degrees, -90), 90),
      (start.longitude + turned).remainder(dividingBy: 360),
      Angle(y: circle.sineAzimuth, x: circle.cosineAzimuth * arcEnd.cosine)
    )
  }

  /// The reduced latitude, on the auxiliary sphere, of a geographic latitude; equation 6.
  static func reducedLatitude(degrees: Double) -> Angle {
    let latitude = Angle(degrees: degrees)
    return Angle(y: (1 - WGS84.flattening) * latitude.sine, x: latitude.cosine)
  }
}
