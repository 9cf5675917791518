/// A place with its names, from the house to the country, and its coordinate; the answer of a
/// ``Geocoder``.
///
/// Its members follow Core Location's `CLPlacemark`. A member that the service does not return is
/// nil.
public struct Placemark: Sendable, Hashable {
  /// The point that represents the place.
  public var coordinate: Coordinate
  /// The name of the place.
  public var name: String?
  /// The street.
  public var thoroughfare: String?
  /// The house number.
  public var subThoroughfare: String?
  /// The city, town or village.
  public var locality: String?
  /// The part of the city.
  public var subLocality: String?
  /// The state or province: the largest division of the country.
  public var administrativeArea: String?
  /// The county or district: a division of ``administrativeArea``.
  public var subAdministrativeArea: String?
  /// The postal code, such as a ZIP code.
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
  /// The attribution that the licence of the data requires. A program must show it with the place.
  public var attribution: String?

  /// Creates a place from its point and its other known members.
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

/// A flat format like that of ``Location``: `latitude` and `longitude` next to the other members,
/// absent members omitted.
extension Placemark: TabulatedMembers, Codable {
  /// The members except ``coordinate``.
  package static let table: [TabulatedMember<Self>] = [
    TabulatedMember("name", \.name),
    TabulatedMember("thoroughfare", \.thoroughfare),
    TabulatedMember("subThoroughfare", \.subThoroughfare),
    TabulatedMember("locality", \.locality),
    TabulatedMember("subLocality", \.subLocality),
    TabulatedMember("administrativeArea", \.administrativeArea),
    TabulatedMember("subAdministrativeArea", \.subAdministrativeArea),
    TabulatedMember("postalCode", \.postalCode),
    TabulatedMember("country", \.country),
    TabulatedMember("isoCountryCode", \.isoCountryCode),
    TabulatedMember("timeZone", \.timeZone),
    TabulatedMember("region", \.region, printed: { "\($0.radius) m around \($0.center)" }),
    TabulatedMember("population", \.population),
    TabulatedMember("distance", \.distance, "m"),
    TabulatedMember("source", \.source),
    TabulatedMember("attribution", \.attribution),
  ]

  package var members: [DescribedMember] {
    coordinate.members + Self.table.map { $0.described(self) }
  }

  private static let latitude = MemberKey("latitude")
  private static let longitude = MemberKey("longitude")

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: MemberKey.self)
    self = try values.validated {
      Self(
        coordinate: try Coordinate(
          latitude: values.decode(Double.self, forKey: Self.latitude),
          longitude: values.decode(Double.self, forKey: Self.longitude)))
    }
    try decodeTable(from: values)
    try values.validated { try ClosedRange.nonNegative.check(distance, "distance") }
    distance = distance?.normalizedZero
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: MemberKey.self)
    try values.encode(coordinate.latitude, forKey: Self.latitude)
    try values.encode(coordinate.longitude, forKey: Self.longitude)
    try encodeTable(into: &values)
  }
}
