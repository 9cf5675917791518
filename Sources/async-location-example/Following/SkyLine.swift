import AsyncLocation

/// A satellite view as one line of columns, for pipes.
enum SkyLine {
  static let columns: [(name: String, meaning: String)] = [
    ("time", "UTC, by the receiver's clock"),
    ("used", "satellites that take part in the position"),
    ("visible", "satellites tracked or predicted"),
    ("strongest", "dB-Hz"),
    ("mean", "dB-Hz, of those used"),
    ("HDOP", "horizontal dilution of precision"),
    ("device", "the receiver; last, because it may contain spaces"),
  ]

  static func line(_ view: SatelliteView) -> String {
    func number(_ value: Double?, _ digits: Int, _ width: Int) -> String {
      TextWidth.pad(value.map { Numbers.fixed($0, digits) } ?? "-", width, trailing: true)
    }
    let strengths = view.used.compactMap(\.signalStrength)
    let device = view.sourceInformation?.device.map { Escaping.escape($0, limit: 200) } ?? ""
    return [
      view.timestamp.map(Numbers.time) ?? TextWidth.pad("-", 24),
      TextWidth.pad(String(view.used.count), 2, trailing: true),
      TextWidth.pad(String(view.satellites.count), 2, trailing: true),
      number(view.satellites.compactMap(\.signalStrength).max(), 0, 3),
      number(
        strengths.isEmpty ? nil : strengths.reduce(0, +) / Double(strengths.count), 1, 5),
      number(view.dilutionOfPrecision?.horizontal, 1, 5),
      device.isEmpty ? "-" : device,
    ].joined(separator: " ")
  }
}

/// A heading as one line of columns.
enum HeadingLine {
  static let columns: [(name: String, meaning: String)] = [
    ("time", "UTC, by the receiver's clock"),
    ("true", "degrees clockwise from true north"),
    ("magnetic", "degrees clockwise from magnetic north"),
    ("accuracy", "degrees"),
    ("source", "compass, or course for the direction of movement"),
    ("device", "the receiver; last, because it may contain spaces"),
  ]

  static func line(_ heading: Heading) -> String {
    func column(_ text: String?) -> String {
      TextWidth.pad(text ?? "-", 5, trailing: true)
    }
    let device = heading.sourceInformation?.device.map { Escaping.escape($0, limit: 200) } ?? ""
    return [
      Numbers.time(heading.timestamp),
      column(heading.trueHeading.map { Angles.direction($0, 1) }),
      column(heading.magneticHeading.map { Angles.direction($0, 1) }),
      column(heading.headingAccuracy.map { Numbers.fixed($0, 1) }),
      TextWidth.pad(heading.source == .compass ? "compass" : "course", 7),
      device.isEmpty ? "-" : device,
    ].joined(separator: " ")
  }
}
