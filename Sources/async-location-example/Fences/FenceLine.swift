import AsyncLocation

/// An event of a monitor as one line of columns.
enum FenceLine {
  static let columns: [(name: String, meaning: String)] = [
    ("time", "UTC, of the location that caused the event, else of this computer"),
    ("previous", "the state before: unknown, satisfied, unsatisfied or unmonitored"),
    ("arrow", "an arrow"),
    ("state", "the new state"),
    ("latitude", "degrees north, WGS 84"),
    ("longitude", "degrees east"),
    ("accuracy", "meters, horizontal"),
    ("identifier", "the condition; last, because it may contain spaces"),
  ]

  static func line(_ event: Monitor.Event, _ glyphs: Glyphs) -> String {
    [
      NumberText.time(event.date),
      TextWidth.pad(event.previousState.description, 11),
      glyphs.arrow,
      TextWidth.pad(event.state.description, 11),
      Columns.number(event.location?.latitude, 7, 11),
      Columns.number(event.location?.longitude, 7, 12),
      Columns.number(event.location?.horizontalAccuracy, 1, 6),
      Escaping.escape(event.identifier),
    ].joined(separator: " ")
  }
}
