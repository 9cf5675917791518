/// The places of a trip; see ``Geocoder/places(of:locale:)``.
public struct TripPlaces: Sendable, Hashable {
  /// The place of departure; nil if there is none.
  public let start: Placemark?
  /// The place of arrival; nil while the trip lasts, and if there is none.
  public let end: Placemark?
  /// The place of each of ``Trip/stops``; nil where there is none.
  public let stops: [Placemark?]

  /// Creates the places of a trip, for tests.
  public init(start: Placemark?, end: Placemark?, stops: [Placemark?] = []) {
    (self.start, self.end, self.stops) = (start, end, stops)
  }
}

extension Geocoder {
  /// Finds the places of departure, of arrival and of the stops of a trip: for each the best answer,
  /// also if it is a partial result such as the nearest place of a point at sea.
  ///
  /// The requests are made one after another, at most 1,002: a server is asked once for each point.
  ///
  /// - Parameters:
  ///   - trip: The trip.
  ///   - locale: The preferred languages of the names.
  /// - Throws: The errors of ``reverseGeocode(_:locale:)``, except those that there is no place or
  ///   only a part of it.
  public func places(
    of trip: Trip, locale: GeocodingLocale? = nil
  ) async throws -> TripPlaces {
    func place(_ coordinate: Coordinate) async throws -> Placemark? {
      do {
        return try await reverseGeocode(coordinate, locale: locale).first
      } catch let error as LocationError where error.isGeocodingResult {
        return error.partialPlacemarks.first
      }
    }
    let start = try await place(trip.startCoordinate)
    var stops: [Placemark?] = []
    for stop in trip.stops { stops.append(try await place(stop.coordinate)) }
    var end: Placemark?
    if let coordinate = trip.endCoordinate { end = try await place(coordinate) }
    return TripPlaces(start: start, end: end, stops: stops)
  }
}
