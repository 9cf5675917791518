import AsyncLocation

/// Formats placemarks as text.
enum PlaceText {
  /// The names of a place, from the house to the country, as people write them: "Hauptstrasse 5,
  /// Vaduz, Liechtenstein". Escaped. Nil without a name.
  static func names(_ placemark: Placemark) -> String? {
    var names: [String] = []
    func add(_ name: String?) {
      if let name, !name.isEmpty, !names.contains(name) { names.append(name) }
    }
    add(placemark.name)
    // A house number has no meaning without its street.
    add(
      placemark.thoroughfare.map { street in
        placemark.subThoroughfare.map { street + " " + $0 } ?? street
      })
    add(placemark.subLocality)
    add(placemark.locality)
    add(placemark.administrativeArea)
    add(placemark.country ?? placemark.isoCountryCode)
    return names.isEmpty
      ? nil : names.map { Escaping.escape($0, limit: 120) }.joined(separator: ", ")
  }

  /// The names of a place in quotes, as one column; '-' without a named place.
  static func quotedNames(_ placemark: Placemark?) -> String {
    placemark.flatMap(names).map(quoted) ?? "-"
  }

  /// A text as one column, in quotes.
  static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\"", with: "'") + "\""
  }

  /// The names of a place, and its distance from a location: "Vaduz, Liechtenstein (70 m)".
  /// Escaped. Nil without a named place.
  ///
  /// - Parameter update: The update for this location or an earlier one.
  static func placeAndDistance(_ update: PlacemarkUpdate, from location: Location) -> String? {
    guard update.error == nil, let placemark = update.placemark else { return nil }
    let metres = location.coordinate.distance(to: placemark.coordinate)
    return names(placemark).map { "\($0) (\(distance(metres)))" }
  }

  /// A distance: "350 m", "12.4 km".
  static func distance(_ metres: Double) -> String {
    switch metres {
    case ..<1_000: NumberText.fixed(metres, 0) + " m"
    case ..<100_000: NumberText.fixed(metres / 1_000, 1) + " km"
    default: NumberText.fixed(metres / 1_000, 0) + " km"
    }
  }

  /// The places' attributions, each once. Not escaped.
  static func attribution(_ placemarks: some Sequence<Placemark>) -> String? {
    var texts: [String] = []
    for text in placemarks.compactMap(\.attribution) where !texts.contains(text) {
      texts.append(text)
    }
    return texts.isEmpty ? nil : texts.joined(separator: "; ")
  }
}
