import AsyncLocation
import FoundationEssentials

/// Reads Nominatim's `jsonv2`.
enum NominatimAnswer {
  /// An answer that cannot be used.
  struct Malformed: Error, Equatable {}

  /// The place at a point; empty if there is none.
  static func place(in body: Data) throws(Malformed) -> [Placemark] {
    guard let answer = try? JSONDecoder().decode(Reverse.self, from: body) else {
      throw Malformed()
    }
    switch answer {
    case .nothing: return []
    case .place(let result): return try [placemark(result)]
    }
  }

  /// The places of a name as the server ranks them; empty if there are none. Those that cannot be used
  /// are left out.
  static func places(in body: Data, limit: Int) throws(Malformed) -> [Placemark] {
    guard let results = try? JSONDecoder().decode([Usable<Result>].self, from: body) else {
      throw Malformed()
    }
    return try results.placemarks(limit: limit, placemark)
  }

  private enum Reverse: Decodable {
    case nothing
    case place(Result)

    private enum CodingKeys: String, CodingKey { case error }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      // The whole answer to a point without a place, with status 200.
      if values.text(.error)?.lowercased() == "unable to geocode" {
        self = .nothing
      } else {
        self = .place(try Result(from: decoder))
      }
    }
  }

  private struct Result: Decodable {
    let latitude: String?
    let longitude: String?
    let name: String?
    let displayName: String?
    let licence: String?
    let identifier: String
    let address: [String: String]
    let population: String?
    let bounds: BoundingBox?

    private enum CodingKeys: String, CodingKey {
      case latitude = "lat"
      case longitude = "lon"
      case name, licence, address, extratags
      case displayName = "display_name"
      case kind = "osm_type"
      case number = "osm_id"
      case boundingbox
    }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      latitude = values.text(.latitude)
      longitude = values.text(.longitude)
      name = values.text(.name)
      displayName = values.text(.displayName)
      licence = values.text(.licence)
      identifier = [values.text(.kind), values.text(.number)].compactMap(\.self)
        .joined(separator: " ")
      address = values.texts(.address)
      population = values.texts(.extratags)["population"]
      let sides = (try? values.decodeIfPresent([LooseText].self, forKey: .boundingbox)) ?? []
      let numbers = sides.compactMap { $0.text.flatMap(Double.init) }
      bounds =
        numbers.count == 4
        ? BoundingBox(
          south: numbers[0], north: numbers[1], west: numbers[2], east: numbers[3]) : nil
    }
  }

  private static func placemark(_ result: Result) throws(Malformed) -> Placemark {
    guard let latitude = result.latitude.flatMap(Double.init),
      let longitude = result.longitude.flatMap(Double.init),
      let coordinate = try? Coordinate(latitude: latitude, longitude: longitude)
    else { throw Malformed() }
    let address = result.address
    var placemark = Placemark(coordinate: coordinate)
    placemark.thoroughfare = address.first(
      of: "road", "pedestrian", "footway", "street", "path", "cycleway", "square")
    placemark.subThoroughfare = address.first(of: "house_number", "street_number")
    let settlements = ["city", "town", "village", "municipality", "hamlet", "isolated_dwelling"]
      .compactMap { address[$0] }
    placemark.locality = settlements.first
    // A village may be a part of a town.
    placemark.subLocality =
      address.first(of: "city_district", "borough", "suburb", "quarter", "neighbourhood")
      ?? settlements.dropFirst().first
    placemark.subAdministrativeArea = address.first(of: "county", "district", "state_district")
    placemark.administrativeArea =
      address.first(of: "state", "province", "region") ?? division(in: address)
    placemark.postalCode = address["postcode"]
    placemark.country = address["country"]
    placemark.isoCountryCode = CountryCode.code(address["country_code"])
    placemark.name =
      result.name ?? placemark.thoroughfare
      ?? result.displayName.flatMap { $0.split(separator: ",").first.map(String.init) }
    placemark.population = result.population.flatMap { Int($0) }
    placemark.region = result.bounds?.circle(named: result.identifier)
    placemark.source = "Nominatim"
    placemark.attribution = result.licence ?? OpenStreetMap.attribution
    return placemark
  }

  /// The code of the largest division that has one in ISO 3166-2, such as `LI-11`. The number in
  /// the key is OpenStreetMap's level, the smaller the larger the division.
  private static func division(in address: [String: String]) -> String? {
    let prefix = "ISO3166-2-lvl"
    return
      address
      .compactMap { key, code in
        key.hasPrefix(prefix) ? Int(key.dropFirst(prefix.count)).map { ($0, code) } : nil
      }
      .min { $0.0 < $1.0 }?.1
  }
}

/// The content that all answers from OpenStreetMap's data share.
enum OpenStreetMap {
  /// The text that the licence demands, for an answer that does not state it.
  static let attribution = "Data © OpenStreetMap contributors, ODbL 1.0. http://osm.org/copyright"
}

enum CountryCode {
  /// A code of two letters in capitals; nil for another text.
  static func code(_ text: String?) -> String? {
    guard let text, text.utf8.count == 2,
      text.utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) })
    else { return nil }
    return text.uppercased()
  }
}
