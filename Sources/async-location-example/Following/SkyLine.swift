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
    let strengths = view.used.compactMap(\.signalStrength)
    return [
      view.timestamp.map(NumberText.time) ?? TextWidth.pad("-", 24),
      Columns.text(String(view.used.count), 2),
      Columns.text(String(view.satellites.count), 2),
      Columns.number(view.satellites.compactMap(\.signalStrength).max(), 0, 3),
      Columns.number(
        strengths.isEmpty ? nil : strengths.reduce(0, +) / Double(strengths.count), 1, 5),
      Columns.number(view.dilutionOfPrecision?.horizontal, 1, 5),
      Columns.device(view.sourceInformation),
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
    [
      NumberText.time(heading.timestamp),
      Columns.text(heading.trueHeading.map { Angles.direction($0, 1) }, 5),
      Columns.text(heading.magneticHeading.map { Angles.direction($0, 1) }, 5),
      Columns.number(heading.headingAccuracy, 1, 5),
      TextWidth.pad(heading.source == .compass ? "compass" : "course", 7),
      Columns.device(heading.sourceInformation),
    ].joined(separator: " ")
  }
}
