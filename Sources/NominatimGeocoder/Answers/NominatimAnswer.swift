import AsyncLocation
import FoundationEssentials
import JSONScanning

/// Reads Nominatim's `jsonv2`.
enum NominatimAnswer {
  /// An answer that cannot be used.
  struct Malformed: Error, Equatable {}

  /// The place at a point; empty if there is none.
  static func place(in body: Data) throws(Malformed) -> [Placemark] {
    let answer = try document(body)
    // The answer for a point without a place has status 200.
    if answer["error"]?.looseText?.lowercased() == "unable to geocode" { return [] }
    guard let placemark = placemark(answer) else { throw Malformed() }
    return [placemark]
  }

  /// The places of a name as the server ranks them; empty if there are none. Unusable places are
  /// left out.
  static func places(in body: Data, limit: Int) throws(Malformed) -> [Placemark] {
    guard let results = try document(body).elements else { throw Malformed() }
    return try results.placemarks(limit: limit, placemark)
  }

  /// The root value of an answer.
  ///
  /// - Throws: `Malformed` if the answer is not JSON; one invalid string is enough.
  static func document(_ body: Data) throws(Malformed) -> JSONDocument.Value {
    guard let document = try? JSONDocument(Array(body)) else { throw Malformed() }
    return document.root
  }

  /// The placemark of a result; nil without a position.
  private static func placemark(_ result: JSONDocument.Value) -> Placemark? {
    func degrees(_ name: String) -> Double? { result[name]?.looseText.flatMap(Double.init) }
    guard let latitude = degrees("lat"), let longitude = degrees("lon"),
      let coordinate = try? Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    let address = result["address"]?.looseTexts ?? [:]
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
      result["name"]?.looseText ?? placemark.thoroughfare
      ?? result["display_name"]?.looseText?.split(separator: ",").first.map(String.init)
    placemark.population = result["extratags"]?["population"]?.looseText.flatMap { Int($0) }
    placemark.region = bounds(result)?.circle(
      named: [result["osm_type"], result["osm_id"]].compactMap { $0?.looseText }
        .joined(separator: " "))
    placemark.source = "Nominatim"
    placemark.attribution = result["licence"]?.looseText ?? OpenStreetMap.attribution
    return placemark
  }

  private static func bounds(_ result: JSONDocument.Value) -> BoundingBox? {
    let sides = result["boundingbox"]?.elements?.compactMap { $0.looseText.flatMap(Double.init) }
    guard let sides, sides.count == 4 else { return nil }
    return BoundingBox(south: sides[0], north: sides[1], west: sides[2], east: sides[3])
  }

  /// The code of the largest division that has one in ISO 3166-2, such as `LI-11`. The number in
  /// the key is OpenStreetMap's level; larger divisions have smaller levels.
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

/// The constants of OpenStreetMap's data.
enum OpenStreetMap {
  /// The attribution that the licence requires, for an answer without one.
  static let attribution = "Data © OpenStreetMap contributors, ODbL 1.0. http://osm.org/copyright"
}

enum CountryCode {
  /// A two-letter code in capitals; nil for another text.
  static func code(_ text: String?) -> String? {
    guard let text, text.utf8.count == 2,
      text.utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) })
    else { return nil }
    return text.uppercased()
  }
}
