import AsyncLocation
import FoundationEssentials

/// The values of an object with the interface `org.freedesktop.GeoClue2.Location`. Nil replaces
/// GeoClue's numbers for unknown values.
struct GeoClueLocation: Hashable, Sendable {
  var latitude: Double
  var longitude: Double
  var accuracy: Double?
  var altitude: Double?
  var speed: Double?
  var heading: Double?
  /// Nil if GeoClue reports no usable time.
  var timestamp: Date?

  /// Reads the properties. Nil without a valid coordinate. Other values that are missing, of
  /// another type or out of range are nil.
  init?(_ properties: [String: BusValue]) {
    guard let latitude = properties["Latitude"]?.double, (-90...90).contains(latitude),
      let longitude = properties["Longitude"]?.double, (-180...180).contains(longitude)
    else { return nil }
    (self.latitude, self.longitude) = (latitude, longitude)
    func number(_ name: String, in range: ClosedRange<Double>) -> Double? {
      guard let value = properties[name]?.double, range.contains(value) else { return nil }
      return value
    }
    // A source that does not know its accuracy, such as a NMEA source, reports 0.
    accuracy = number("Accuracy", in: .leastNonzeroMagnitude ... .greatestFiniteMagnitude)
    altitude = number("Altitude", in: .altitude)
    speed = number("Speed", in: .nonNegative)
    heading = number("Heading", in: 0...360)
    timestamp = properties["Timestamp"].flatMap(Self.date)
  }

  /// The date of GeoClue's seconds and microseconds since 1970; nil for none, and for a year above
  /// 9999.
  private static func date(_ value: BusValue) -> Date? {
    guard case .structure(let members) = value, members.count == 2,
      case .uint64(let seconds) = members[0], case .uint64(let microseconds) = members[1],
      (1..<253_402_300_800).contains(seconds), microseconds < 1_000_000
    else { return nil }
    return Date(timeIntervalSince1970: Double(seconds)).addingTimeInterval(
      Double(microseconds) / 1e6)
  }

  /// Creates a location.
  ///
  /// - Parameter now: The time of a location without a timestamp.
  func location(at now: Date) -> Location? {
    try? Location(
      latitude: latitude, longitude: longitude, timestamp: timestamp ?? now, altitude: altitude,
      horizontalAccuracy: accuracy, speed: speed, course: heading,
      sourceInformation: SourceInformation(timeSource: timestamp == nil ? .host : .receiver))
  }
}
