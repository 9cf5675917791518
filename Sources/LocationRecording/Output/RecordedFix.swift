import AsyncLocation
import FoundationEssentials

/// The values of a location in a recording, before they are validated.
struct RecordedFix: Sendable {
  var latitude: Double
  var longitude: Double
  var time = RecordedTime.unknown
  var altitude: Double?
  var ellipsoidalAltitude: Double?
  var horizontalAccuracy: Double?
  var verticalAccuracy: Double?
  var speed: Double?
  var speedAccuracy: Double?
  var course: Double?
  var courseAccuracy: Double?
  var climb: Double?
  var floor: Int?
  var device: String?
  /// Whether the receiver had no fix at this point, as GPX's `none` states.
  var hasNoFix = false
  var mode: GNSSFix.Mode?
  var status: GNSSFix.Status?
  var horizontalDilution: Double?
  var verticalDilution: Double?
  var positionDilution: Double?
  var satellitesUsed: Int?
  var satellitesVisible: Int?
  var magneticVariation: Double?
  var geoidSeparation: Double?
  var differentialAge: Double?
  var differentialStation: Int?
  var sensors = SensorReadings()

  init(latitude: Double, longitude: Double) {
    (self.latitude, self.longitude) = (latitude, longitude)
  }

  /// Removes out-of-range values other than the position and the time: an invalid speed does not
  /// invalidate the position.
  ///
  /// - Parameter report: Called with the name of each removed value, except -1, which stands for a
  ///   missing value in Core Location.
  mutating func removeValuesOutOfRange(_ report: (String) -> Void) {
    func check(_ value: inout Double?, _ range: ClosedRange<Double>, _ name: String) {
      guard let number = value, !range.contains(number) else { return }
      value = nil
      if number != -1 { report(name) }
    }
    check(&altitude, .altitude, "altitude")
    check(&ellipsoidalAltitude, .altitude, "ellipsoidalAltitude")
    check(&horizontalAccuracy, 0...1e9, "horizontalAccuracy")
    check(&verticalAccuracy, 0...1e9, "verticalAccuracy")
    check(&speed, 0...1e9, "speed")
    check(&speedAccuracy, 0...1e9, "speedAccuracy")
    check(&course, 0...360, "course")
    check(&courseAccuracy, 0...180, "courseAccuracy")
    check(&climb, -1e9...1e9, "climb")
    check(&horizontalDilution, 0...1e4, "horizontalDilution")
    check(&verticalDilution, 0...1e4, "verticalDilution")
    check(&positionDilution, 0...1e4, "positionDilution")
  }

  /// Creates the location.
  ///
  /// - Throws: `LocationError` if a value is out of range.
  func location(_ placement: RecordingPacer.Placement) throws(LocationError) -> Location {
    try Location(
      coordinate: Coordinate(latitude: latitude, longitude: longitude),
      timestamp: placement.timestamp, altitude: altitude,
      ellipsoidalAltitude: ellipsoidalAltitude, horizontalAccuracy: horizontalAccuracy,
      verticalAccuracy: verticalAccuracy, speed: speed, speedAccuracy: speedAccuracy,
      course: course, courseAccuracy: courseAccuracy, climb: climb, floor: floor,
      sourceInformation: SourceInformation(
        isSimulated: true, device: device, timeSource: placement.timeSource),
      gnss: fix)
  }

  /// The dilution of precision; nil if none is recorded.
  var dilution: DilutionOfPrecision? {
    let range = 0...1e4
    guard
      [horizontalDilution, verticalDilution, positionDilution].contains(where: {
        $0.within(range) != nil
      })
    else { return nil }
    return try? DilutionOfPrecision(
      horizontal: horizontalDilution.within(range), vertical: verticalDilution.within(range),
      position: positionDilution.within(range))
  }

  /// The GNSS fix; nil without a fix, or if no value of the receiver is recorded.
  private var fix: GNSSFix? {
    guard !hasNoFix else { return nil }
    let dilution = dilution
    let hasValues =
      mode != nil || status != nil || dilution != nil || satellitesUsed != nil
      || satellitesVisible != nil || magneticVariation != nil || geoidSeparation != nil
      || differentialAge != nil || differentialStation != nil
    guard hasValues else { return nil }
    return try? GNSSFix(
      mode: mode ?? (altitude == nil ? .twoDimensional : .threeDimensional), status: status,
      dilutionOfPrecision: dilution,
      satellitesUsed: satellitesUsed.within(0...1000),
      satellitesVisible: satellitesVisible.within(0...1000),
      magneticVariation: magneticVariation.within(-180...180),
      geoidSeparation: geoidSeparation.within(-1e9...1e9),
      differentialAge: differentialAge.within(0...1e9),
      differentialStation: differentialStation.within(0...4095))
  }
}
