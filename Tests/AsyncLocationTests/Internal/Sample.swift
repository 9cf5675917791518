import FoundationEssentials

@testable import AsyncLocation

/// Values for tests; their exact content seldom matters.
enum Sample {
  static let epoch = Date(timeIntervalSince1970: 1_777_863_600)

  static func date(_ seconds: Double) -> Date { epoch.addingTimeInterval(seconds) }

  static func source(_ device: String?) -> SourceInformation { SourceInformation(device: device) }

  /// A location `seconds` after ``epoch``, by default about 111 m further north for each second.
  static func location(
    _ seconds: Double = 0, latitude: Double? = nil, longitude: Double = 13, accuracy: Double? = nil,
    device: String? = nil
  ) -> Location {
    valid {
      try Location(
        latitude: latitude ?? 50 + seconds / 1_000, longitude: longitude, timestamp: date(seconds),
        horizontalAccuracy: accuracy, sourceInformation: source(device))
    }
  }

  static func heading(
    true trueHeading: Double? = nil, magnetic magneticHeading: Double? = nil,
    device: String? = nil
  ) -> Heading {
    valid {
      try Heading(
        trueHeading: trueHeading, magneticHeading: magneticHeading, timestamp: epoch,
        source: .compass, sourceInformation: source(device))
    }
  }

  static func sky(_ seconds: Double = 0) -> SatelliteView {
    valid { try SatelliteView(timestamp: date(seconds), satellites: []) }
  }

  private static func valid<Value>(_ make: () throws -> Value) -> Value {
    do { return try make() } catch { preconditionFailure("A sample must be valid: \(error)") }
  }
}
