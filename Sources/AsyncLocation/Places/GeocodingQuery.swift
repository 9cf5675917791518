/// A question to a geocoder.
struct GeocodingQuery: Hashable, Sendable {
  /// The name; nil for a reverse query.
  let name: String?
  /// The point of a reverse query, or the point near which a name is looked for.
  let point: Coordinate?
  let locale: GeocodingLocale?

  /// Puts the question to a geocoder.
  func answer(of geocoder: any Geocoder) async throws -> [Placemark] {
    guard let name else {
      guard let point else { preconditionFailure("A reverse query has a point.") }
      return try await geocoder.reverseGeocode(point, locale: locale)
    }
    return try await geocoder.geocode(name, near: point, locale: locale)
  }
}
