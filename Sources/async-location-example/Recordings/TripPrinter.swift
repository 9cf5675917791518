import AsyncLocation

/// Prints trips as lines or JSON, with their places if there is a geocoder.
struct TripPrinter: Sendable {
  let arguments: Arguments
  let context: CommandContext
  /// Nil to print no places.
  let geocoder: (any Geocoder)?

  func show(_ trips: some Sequence<Trip>) async throws {
    var attribution: String?
    for trip in trips {
      guard let geocoder else {
        try await context.write(trip) { TripLine.line(trip) }
        continue
      }
      let places = try await geocoder.places(of: trip, locale: arguments.locale)
      try await context.write(LocatedTrip(trip, places)) { TripLine.line(trip, places) }
      let found = [places.start, places.end] + places.stops
      attribution = PlaceText.attribution(found.compactMap(\.self)) ?? attribution
    }
    // JSON includes the attribution.
    if context.presentation.shape != .json, let attribution {
      await context.printMessage("places: " + attribution)
    }
  }

  /// Refuses options that need `--trips`, or `--places`.
  static func check(_ arguments: Arguments, _ given: Set<Option>) throws(UsageError) {
    let needs: [(Option, Option)] = [
      (.places, .trips), (.locale, .places), (.nominatim, .places),
    ]
    for (option, other) in needs where given.contains(option) && !given.contains(other) {
      throw UsageError("\(option.flag) needs \(other.flag)", command: arguments.command)
    }
  }
}

/// A trip and its places as JSON: the members of the trip, `startPlacemark`, `endPlacemark` and, for
/// its stops, `stopPlacemarks` with null where there is no place.
private struct LocatedTrip: Encodable {
  private let trip: Trip
  private let places: TripPlaces

  private enum CodingKeys: String, CodingKey { case startPlacemark, endPlacemark, stopPlacemarks }

  init(_ trip: Trip, _ places: TripPlaces) { (self.trip, self.places) = (trip, places) }

  func encode(to encoder: any Encoder) throws {
    try trip.encode(to: encoder)
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(places.start, forKey: .startPlacemark)
    try values.encodeIfPresent(places.end, forKey: .endPlacemark)
    if !places.stops.isEmpty { try values.encode(places.stops, forKey: .stopPlacemarks) }
  }
}
