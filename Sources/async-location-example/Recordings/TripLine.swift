import AsyncLocation

/// Lines of trips for pipes. Pure.
enum TripLine {
  static let columns: [(name: String, meaning: String)] = [
    ("start", "UTC, the departure"),
    ("end", "UTC, the arrival; '-' if the trip had not ended"),
    ("distance", "meters"),
    ("moving", "seconds without stops"),
    ("speed", "meters per second, the greatest that is confirmed"),
    ("stops", "the number of waits of a minute or more"),
    ("latitude", "degrees north, WGS 84, of the departure"),
    ("longitude", "degrees east"),
    ("latitude", "of the arrival"),
    ("longitude", "of the arrival"),
  ]
  /// The columns that `--places` adds.
  static let places = (name: "from, to", meaning: "with --places: the names of both, in quotes")

  /// - Parameter places: Nil for a line without places.
  static func line(_ trip: Trip, _ places: TripPlaces? = nil) -> String {
    let columns = [
      NumberText.time(trip.start),
      TextWidth.pad(trip.end.map(NumberText.time) ?? "-", 24),
      Columns.number(trip.distance, 0, 8),
      Columns.number(trip.movingTime.map(NumberText.seconds), 0, 7),
      Columns.number(trip.maximumSpeed, 2, 6),
      Columns.text("\(trip.stops.count)", 4),
      Columns.number(trip.startCoordinate.latitude, 7, 11),
      Columns.number(trip.startCoordinate.longitude, 7, 12),
      Columns.number(trip.endCoordinate?.latitude, 7, 11),
      Columns.number(trip.endCoordinate?.longitude, 7, 12),
    ]
    let names = places.map { [$0.start, $0.end].map(PlaceText.quotedNames) } ?? []
    return (columns + names).joined(separator: " ")
  }
}
