import AsyncLocation
import FoundationEssentials
import NMEASentences

/// The values of an epoch as values of the core. A value that is out of range is absent.
extension NMEAFix {
  /// The speed in metres per second below which a course is not meaningful; gpsd's.
  private static let smallestSpeedOfCourse = 0.5

  /// The course; nil while the receiver stands still.
  var courseOverGround: Double? {
    if let speed, speed < Self.smallestSpeedOfCourse { return nil }
    return course.within(0...360)
  }

  /// - Throws: `LocationError` if the position or the time is out of range.
  func location(at timestamp: Date, from source: SourceInformation) throws(LocationError)
    -> Location
  {
    try Location(
      coordinate: Coordinate(latitude: latitude, longitude: longitude), timestamp: timestamp,
      altitude: altitude.within(.altitude),
      ellipsoidalAltitude: ellipsoidalAltitude.within(.altitude),
      horizontalAccuracy: horizontalAccuracy.within(0...1e9),
      verticalAccuracy: verticalAccuracy.within(0...1e9), speed: speed.within(0...1e9),
      course: courseOverGround, sourceInformation: source, gnss: gnss)
  }

  /// The dilution of precision; nil if the receiver does not report it.
  var dilution: DilutionOfPrecision? {
    let values = [horizontalDilution, verticalDilution, positionDilution].map {
      $0.within(0...1e4)
    }
    guard values.contains(where: { $0 != nil }) else { return nil }
    return try? DilutionOfPrecision(
      horizontal: values[0], vertical: values[1], position: values[2])
  }

  private var gnss: GNSSFix? {
    try? GNSSFix(
      mode: mode ?? .twoDimensional, status: status, dilutionOfPrecision: dilution,
      satellitesUsed: satellitesUsed.within(0...1000),
      satellitesVisible: satellitesVisible.within(0...1000),
      magneticVariation: magneticVariation.within(-180...180),
      geoidSeparation: geoidSeparation.within(-1e9...1e9),
      differentialAge: differentialAge.within(0...1e9),
      differentialStation: differentialStation.within(0...4095))
  }
}
