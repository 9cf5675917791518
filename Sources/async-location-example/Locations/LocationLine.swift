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
    ("device", "the receiver; last, because it may contain spaces"),
  ]

  static func line(_ location: Location) -> String {
    func number(_ value: Double?, _ digits: Int, _ width: Int) -> String {
      TextWidth.pad(value.map { Numbers.fixed($0, digits) } ?? "-", width, trailing: true)
    }
    let device = location.sourceInformation?.device.map { Escaping.escape($0, limit: 200) } ?? ""
    return [
      Numbers.time(location.timestamp),
      number(location.latitude, 7, 11),
      number(location.longitude, 7, 12),
      number(location.altitude, 1, 8),
      number(location.horizontalAccuracy, 1, 6),
      number(location.speed, 2, 6),
      TextWidth.pad(
        location.course.map { Angles.direction($0, 1) } ?? "-", 5, trailing: true),
      TextWidth.pad(location.gnss?.mode.rawValue ?? "-", 2),
      TextWidth.pad(location.gnss?.satellitesUsed.map(String.init) ?? "-", 2, trailing: true),
      device.isEmpty ? "-" : device,
    ].joined(separator: " ")
  }
}
