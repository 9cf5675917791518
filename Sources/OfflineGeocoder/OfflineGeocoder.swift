public import AsyncLocation

/// Finds places in GeoNames data, without a network, a server or a set-up.
///
/// The library contains every capital, every place of 2,000 inhabitants or more, and smaller ones
/// where there is no other within 10 km; ``init(contentsOf:)`` opens a file with all places. It has
/// no streets, and each place is a point. The borders in the library determine countries and time
/// zones, if it is built with borders; see <doc:OfflineGeocoder>.
///
/// A search takes 2 to 4 µs for a point and about 20 µs for a name. It takes about 1 ms for a name
/// that is followed by its country or division, and about 2 ms for a misspelled or unknown name.
/// Answers are computed on the caller's thread and do not observe cancellation.
///
/// The library has GeoNames' main names, whatever the locale: its data does not state in which
/// language a name is. A file made with GeoNames' alternate names has the names of places,
/// countries and first-level divisions in the preferred languages, where they are known.
///
/// The data is under CC BY 4.0: a program that shows it has to show ``attribution``.
public struct OfflineGeocoder: Geocoder {
  /// The `source` of all placemarks.
  public static var source: String { "GeoNames" }
  /// The `attribution` of all placemarks.
  public static var attribution: String { "GeoNames (https://www.geonames.org), CC BY 4.0" }

  /// The maximum number of places in an answer to a name.
  public static var limit: Int { 10 }

  /// The distance in metres beyond which the nearest place is a partial result; 100 km by default.
  ///
  /// A negative number makes every result partial.
  public var maximumDistance = 100_000.0

  private let gazetteer: Gazetteer
  private let borders = Borders.embedded

  /// Creates a geocoder with the places in the library. Returns immediately: pages are read when
  /// they are needed.
  public init() {
    gazetteer = .embedded
  }

  /// Opens a file that `scripts/gazetteer --dump` made. The file must not change while it is open:
  /// replace it by renaming a new file, not by overwriting it.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/geocoderUnavailable`` when the file cannot be opened, is
  ///   not a file of places, or was made for another version of this library.
  public init(contentsOf path: String) throws(LocationError) {
    gazetteer = try Gazetteer(GazetteerMemory(path: path))
  }

  /// Finds the place that is nearest to a point, and the city that it belongs to.
  ///
  /// The first answer is the nearest place along the ellipsoid that is in the country of the point;
  /// its `name` is that place. The `timeZone` is that of the point, even if the place is across the
  /// border of a time zone. The `locality` is the city that the place is a part of; the place is
  /// then the `subLocality`, and the city is the second answer. Otherwise the `locality` is the
  /// place. Borders have an error of about 500 m. In a library without borders, and at sea in a
  /// one-degree cell without land, the nearest place determines the country and the time zone.
  ///
  /// The city of a place is the largest city with a population of 50,000 or more in the same
  /// first-level division whose center is within 6 m times the square root of the city's population
  /// (6 km for a million, 18 km for nine million), if the city has three times the population of
  /// the place.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/geocodeFoundPartialResult`` if the nearest place is
  ///   farther than ``maximumDistance``, as at sea or in a desert; the place is in the error's
  ///   `partialPlacemarks`, with the country and the time zone of the point. A country without
  ///   places is a partial result, too.
  public func reverseGeocode(
    _ coordinate: Coordinate, locale: GeocodingLocale?
  ) async throws -> [Placemark] {
    let names = PreferredNames(gazetteer, locale)
    let surroundings = gazetteer.surroundings(of: coordinate, borders)
    guard let place = surroundings.place,
      let nearest = gazetteer.placemark(
        place, names, from: coordinate, timeZone: surroundings.timeZone)
    else {
      guard let country = surroundings.country else { throw Self.noResult }
      throw LocationError.geocodePartialResult(
        [gazetteer.placemark(ofCountry: country, names, at: coordinate)],
        "No place in this country is known.")
    }
    guard let distance = nearest.distance, distance <= maximumDistance else {
      throw LocationError.geocodePartialResult(
        [nearest],
        "The nearest known place is farther away than \(maximumDistance) m.")
    }
    guard let city = gazetteer.city(place),
      let second = gazetteer.placemark(
        city, names, from: coordinate, timeZone: surroundings.timeZone)
    else { return [nearest] }
    return [nearest, second]
  }

  /// Finds the places of a name, which may be followed by their region: "Paris, TX",
  /// "Springfield, US", "Halle, Saxony-Anhalt, Germany".
  ///
  /// Case, diacritics, ligatures and punctuation do not matter. The text after a comma is a country
  /// or a first-level division, by name or code, of which one letter may be wrong; any other text
  /// is a place near which answers are preferred, or is ignored. Without a comma, the last words
  /// may be a country or a division: "Paris TX".
  ///
  /// The more populous place comes first. A population counts twice for a main name that is spelled
  /// exactly as the query, and a third for an alternate name, or a tenth if the alternate name is
  /// the main name of a city of 300,000 or more; with `near`, it is divided by
  /// (1 + distance / 100 km)². Places whose main names begin with the name follow, and then places
  /// whose alternate names do. If no place has the name, "St", "Mt" or "Ft" is spelled out, or
  /// words with digits are left out, such as postal codes. If no name begins with it either, words
  /// after the first may be abbreviated, as in "Freiburg i. Br.", or short words may be missing, as
  /// in "Frankfurt/Main". Otherwise one letter may be wrong, missing, added or swapped with the
  /// next, in a name of at least four letters and at most 32 bytes.
  ///
  /// - Returns: At most ``limit`` places.
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/geocodeFoundNoResult``, also for the name of a country
  ///   or a division, unless a place has that name, and for a country's code or a two-letter code
  ///   in capitals; ``/AsyncLocation/LocationError/Code/geocodeFoundPartialResult`` if there are
  ///   places of the name, but none in the region after the comma; or
  ///   ``/AsyncLocation/LocationError/Code/invalidValue`` if the name is empty or longer than 256
  ///   bytes.
  public func geocode(
    _ name: String, near: Coordinate?, locale: GeocodingLocale?
  ) async throws -> [Placemark] {
    guard !name.isEmpty, name.utf8.count <= NameQuery.longest else {
      throw LocationError(
        .invalidValue, "The name is empty or longer than \(NameQuery.longest) bytes.")
    }
    let names = PreferredNames(gazetteer, locale)
    func placemarks(_ places: [Int]) throws -> [Placemark] {
      let placemarks = places.compactMap { gazetteer.placemark($0, names, from: near) }
      guard !placemarks.isEmpty else { throw Self.noResult }
      return placemarks
    }
    switch NameSearch(gazetteer, near: near, limit: Self.limit).answer(name) {
    case .places(let places): return try placemarks(places)
    case .elsewhere(let places):
      throw LocationError.geocodePartialResult(
        try placemarks(places), "There are places of this name, but not in what follows it.")
    case .region:
      throw LocationError(
        .geocodeFoundNoResult,
        "This is the name of a country or a division of one; only places in it are known.")
    case .nothing: throw Self.noResult
    }
  }

  private static var noResult: LocationError {
    LocationError(.geocodeFoundNoResult, "No place of this name is known.")
  }
}
