import AsyncLocation

/// A place as one line of columns.
enum PlaceLine {
  static let columns: [(name: String, meaning: String)] = [
    ("latitude", "degrees north, WGS 84"),
    ("longitude", "degrees east"),
    ("distance", "meters from the point"),
    ("population", "the number of inhabitants"),
    ("country", "the code in ISO 3166-1"),
    ("names", "from the place to the country; last, because they contain spaces"),
  ]

  static func line(_ placemark: Placemark) -> String {
    [
      Columns.number(placemark.coordinate.latitude, 5, 9),
      Columns.number(placemark.coordinate.longitude, 5, 10),
      Columns.number(placemark.distance, 0, 8),
      Columns.text(placemark.population.map(String.init), 9),
      TextWidth.pad(placemark.isoCountryCode.map { Escaping.escape($0, limit: 2) } ?? "-", 2),
      PlaceText.names(placemark) ?? "-",
    ].joined(separator: " ")
  }
}
