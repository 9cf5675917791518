/// A request to a geocoder.
package struct GeocodingQuery: Hashable, Sendable {
  /// The name; nil for a reverse query.
  package let name: String?
  /// The point of a reverse query, or the point near which a name is searched.
  package let point: Coordinate?
  package let locale: GeocodingLocale?

  package init(name: String?, point: Coordinate?, locale: GeocodingLocale?) {
    (self.name, self.point, self.locale) = (name, point, locale)
  }

  /// Sends the request to a geocoder and returns the answer.
  func answer(of geocoder: any Geocoder) async throws -> [Placemark] {
    guard let name else {
      guard let point else { preconditionFailure("A reverse query has a point.") }
      return try await geocoder.reverseGeocode(point, locale: locale)
    }
    return try await geocoder.geocode(name, near: point, locale: locale)
  }
}
