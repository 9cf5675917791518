/// A place: its names, from the house to the country, and where it is. The answer of a
/// ``Geocoder``.
///
/// Its members are those of Core Location's `CLPlacemark`, where the service knows them; what is
/// not known is nil.
public struct Placemark: Sendable, Hashable {
  /// The point that stands for the place.
  public var coordinate: Coordinate
  /// The name of the place.
  public var name: String?
  /// The street.
  public var thoroughfare: String?
  /// The number of the house.
  public var subThoroughfare: String?
  /// The city, town or village.
  public var locality: String?
  /// The part of the city.
  public var subLocality: String?
  /// The state or province: the largest division of the country.
  public var administrativeArea: String?
  /// The county or district: a division of ``administrativeArea``.
  public var subAdministrativeArea: String?
  /// The postal code.
  public var postalCode: String?
  /// The country.
  public var country: String?
  /// The code of the country in ISO 3166-1, two capital letters.
  public var isoCountryCode: String?
  /// The identifier of the time zone in the IANA database, such as `Europe/Vaduz`.
  public var timeZone: String?
  /// A circle that contains the place.
  public var region: CircularRegion?
  /// The number of inhabitants. A negative number is stored as nil.
  public var population: Int? {
    didSet { if let population, population < 0 { self.population = nil } }
  }
  /// Metres along the ellipsoid from the point of the request to ``coordinate``; nil for a request
  /// without a point.
  public internal(set) var distance: Double?
  /// The geocoder or the data that found the place, such as `GeoNames`.
  public var source: String?
  /// The attribution that the licence of the data demands; show it with the place.
  public var attribution: String?

  /// Creates a place from its point and what else is known.
  public init(
    coordinate: Coordinate, name: String? = nil, thoroughfare: String? = nil,
    subThoroughfare: String? = nil, locality: String? = nil, subLocality: String? = nil,
    administrativeArea: String? = nil, subAdministrativeArea: String? = nil,
    postalCode: String? = nil, country: String? = nil, isoCountryCode: String? = nil,
    timeZone: String? = nil, region: CircularRegion? = nil, population: Int? = nil,
    source: String? = nil, attribution: String? = nil
  ) {
    self.coordinate = coordinate
    self.name = name
    self.thoroughfare = thoroughfare
    self.subThoroughfare = subThoroughfare
    self.locality = locality
    self.subLocality = subLocality
    self.administrativeArea = administrativeArea
    self.subAdministrativeArea = subAdministrativeArea
    self.postalCode = postalCode
    self.country = country
    self.isoCountryCode = isoCountryCode
    self.timeZone = timeZone
    self.region = region
    // An initializer does not run the observer.
    self.population = population.flatMap { $0 < 0 ? nil : $0 }
    self.source = source
    self.attribution = attribution
  }

  /// Returns the same place with its ``distance`` from a point.
  public func measured(from point: Coordinate) -> Self {
    var placemark = self
    placemark.distance = point.distance(to: coordinate)
    return placemark
  }
}

extension Placemark: Described {
  package var members: [DescribedMember] {
    coordinate.members + [
      DescribedMember("name", name),
      DescribedMember("thoroughfare", thoroughfare),
      DescribedMember("subThoroughfare", subThoroughfare),
      DescribedMember("locality", locality),
      DescribedMember("subLocality", subLocality),
      DescribedMember("administrativeArea", administrativeArea),
      DescribedMember("subAdministrativeArea", subAdministrativeArea),
      DescribedMember("postalCode", postalCode),
      DescribedMember("country", country),
      DescribedMember("isoCountryCode", isoCountryCode),
      DescribedMember("timeZone", timeZone),
      DescribedMember("region", region.map { "\($0.radius) m around \($0.center)" }),
      DescribedMember("population", population),
      DescribedMember("distance", distance, "m"),
      DescribedMember("source", source),
      DescribedMember("attribution", attribution),
    ]
  }
}

/// A flat format like that of ``Location``: `latitude` and `longitude` beside the other members,
/// absent members omitted.
extension Placemark: Codable {
  private enum CodingKeys: String, CodingKey {
    case latitude, longitude, name, thoroughfare, subThoroughfare, locality, subLocality
    case administrativeArea, subAdministrativeArea, postalCode, country, isoCountryCode, timeZone
    case region, population, distance, source, attribution
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func text(_ key: CodingKeys) throws -> String? {
      try values.decodeIfPresent(String.self, forKey: key)
    }
    self = try values.validated {
      let distance = try values.decodeIfPresent(Double.self, forKey: .distance)
      try ClosedRange.nonNegative.check(distance, "distance")
      var placemark = Self(
        coordinate: try Coordinate(
          latitude: values.decode(Double.self, forKey: .latitude),
          longitude: values.decode(Double.self, forKey: .longitude)))
      placemark.distance = distance?.normalizedZero
      return placemark
    }
    name = try text(.name)
    thoroughfare = try text(.thoroughfare)
    subThoroughfare = try text(.subThoroughfare)
    locality = try text(.locality)
    subLocality = try text(.subLocality)
    administrativeArea = try text(.administrativeArea)
    subAdministrativeArea = try text(.subAdministrativeArea)
    postalCode = try text(.postalCode)
    country = try text(.country)
    isoCountryCode = try text(.isoCountryCode)
    timeZone = try text(.timeZone)
    region = try values.decodeIfPresent(CircularRegion.self, forKey: .region)
    // An initializer does not run the observer.
    population = try values.decodeIfPresent(Int.self, forKey: .population).flatMap {
      $0 < 0 ? nil : $0
    }
    source = try text(.source)
    attribution = try text(.attribution)
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(coordinate.latitude, forKey: .latitude)
    try values.encode(coordinate.longitude, forKey: .longitude)
    try values.encodeIfPresent(name, forKey: .name)
    try values.encodeIfPresent(thoroughfare, forKey: .thoroughfare)
    try values.encodeIfPresent(subThoroughfare, forKey: .subThoroughfare)
    try values.encodeIfPresent(locality, forKey: .locality)
    try values.encodeIfPresent(subLocality, forKey: .subLocality)
    try values.encodeIfPresent(administrativeArea, forKey: .administrativeArea)
    try values.encodeIfPresent(subAdministrativeArea, forKey: .subAdministrativeArea)
    try values.encodeIfPresent(postalCode, forKey: .postalCode)
    try values.encodeIfPresent(country, forKey: .country)
    try values.encodeIfPresent(isoCountryCode, forKey: .isoCountryCode)
    try values.encodeIfPresent(timeZone, forKey: .timeZone)
    try values.encodeIfPresent(region, forKey: .region)
    try values.encodeIfPresent(population, forKey: .population)
    try values.encodeIfPresent(distance, forKey: .distance)
    try values.encodeIfPresent(source, forKey: .source)
    try values.encodeIfPresent(attribution, forKey: .attribution)
  }
}
