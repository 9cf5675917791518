import AsyncLocation
import FoundationEssentials

@testable import async_location_example

/// Values for the tests of the tool.
enum Samples {
  static let time = Date(timeIntervalSince1970: 1_777_863_721.250)

  /// The line of a location with an assessment.
  static func line(_ location: Location, _ integrity: LocationIntegrity?) -> String {
    var location = location
    location.integrity = integrity
    return LocationLine.line(location)
  }

  static func location(
    latitude: Double = 48.137154, device: String? = "/dev/ttyACM0", full: Bool = true
  ) throws -> Location {
    let source = SourceInformation(device: device)
    guard full else {
      return try Location(
        latitude: latitude, longitude: 11.576124, timestamp: time, sourceInformation: source)
    }
    return try Location(
      latitude: latitude, longitude: 11.576124, timestamp: time, altitude: 519.42,
      ellipsoidalAltitude: 565.81, horizontalAccuracy: 2.44, verticalAccuracy: 4.1, speed: 13.9,
      speedAccuracy: 0.4, course: 87.3, courseAccuracy: 1.2, climb: -0.25,
      sourceInformation: source,
      gnss: GNSSFix(
        mode: .threeDimensional, status: .differential,
        dilutionOfPrecision: DilutionOfPrecision(horizontal: 0.9, vertical: 1.4),
        satellitesUsed: 9, satellitesVisible: 14))
  }

  /// Satellites 1 to `count`. The even ones are used, and the signal strength is the number modulo
  /// 55.
  static func sky(_ count: Int, device: String? = "/dev/ttyACM0") throws -> SatelliteView {
    let families: [Satellite.Constellation] = [.gps, .glonass, .galileo, .beidou]
    return try SatelliteView(
      satellites: (1...max(1, count)).prefix(count).map { number in
        try Satellite(
          prn: number, constellation: families[number % 4], vehicle: number,
          elevation: Double(number % 90), azimuth: Double(number * 7 % 360),
          signalStrength: Double(number % 55), isUsed: number.isMultiple(of: 2))
      }, sourceInformation: SourceInformation(device: device))
  }

  static let connected = ConnectionState(
    .connected, endpoint: "localhost:2947",
    receivers: [Receiver(name: "/dev/ttyACM0", driver: "u-blox", model: "ZED-F9P")])

  static let refused = LocationError(
    .backendUnavailable, "gpsd at localhost:2947 cannot be reached.",
    cause: LocationError(.backendUnavailable, "Connection refused."))

  static func presentation(_ shape: Presentation.Shape, color: Bool = false) -> Presentation {
    var environment = ["LANG": "C.UTF-8"]
    if shape == .table { environment["TERM"] = "xterm" }
    var arguments = Arguments(command: .watch)
    arguments.format = shape == .json ? .json : .text
    arguments.color = color ? .always : .never
    return Presentation(arguments, environment: environment, isTerminal: shape == .table)
  }
}
