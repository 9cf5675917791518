import AsyncLocation

/// A location as one line of columns, for pipes. New columns are only added before the device.
enum LocationLine {
  static let columns: [(name: String, meaning: String)] = [
    ("time", "UTC, by the receiver's clock"),
    ("latitude", "degrees north, WGS 84"),
    ("longitude", "degrees east"),
    ("altitude", "meters above mean sea level"),
    ("accuracy", "meters, horizontal"),
    ("speed", "meters per second"),
    ("course", "degrees clockwise from true north"),
    ("fix", "2D or 3D"),
    ("satellites", "the number used in the fix"),
    integrityColumn,
    ("device", "the receiver; last, because it may contain spaces"),
  ]

  /// The column of ``integrity(of:)``.
  static let integrityColumn = (
    name: "integrity", meaning: "plausible, or the reasons why the location is suspect"
  )

  /// Whether a location can be trusted: a word, or the names of the reasons between commas.
  static func integrity(of location: Location) -> String {
    guard let integrity = location.integrity else { return "-" }
    return integrity.isSuspect
      ? integrity.reasons.ownNames.joined(separator: ",") : "\(integrity)"
  }

  /// The column of `watch --places`, before the device.
  static let place = (
    name: "place", meaning: "with --places: the names and the distance, in quotes"
  )

  static func line(_ location: Location) -> String { line(location, place: nil) }

  /// A line with the column of a place.
  static func line(_ location: Location, at update: PlacemarkUpdate?) -> String {
    let text = update.flatMap { PlaceText.placeAndDistance($0, from: location) }
    return line(location, place: text.map(PlaceText.quoted) ?? "-")
  }

  private static func line(_ location: Location, place: String?) -> String {
    [
      NumberText.time(location.timestamp),
      Columns.number(location.latitude, 7, 11),
      Columns.number(location.longitude, 7, 12),
      Columns.number(location.altitude, 1, 8),
      Columns.number(location.horizontalAccuracy, 1, 6),
      Columns.number(location.speed, 2, 6),
      Columns.text(location.course.map { Angles.direction($0, 1) }, 5),
      TextWidth.pad(location.gnss?.mode.rawValue ?? "-", 2),
      Columns.text(location.gnss?.satellitesUsed.map(String.init), 2),
      TextWidth.pad(integrity(of: location), 9),
      place,
      Columns.device(location.sourceInformation),
    ].compactMap(\.self).joined(separator: " ")
  }
}
