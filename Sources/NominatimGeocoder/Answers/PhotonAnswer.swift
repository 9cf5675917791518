import AsyncLocation
import FoundationEssentials

/// Reads Photon's GeoJSON.
enum PhotonAnswer {
  /// The places of an answer as the server ranks them; empty if there are none.
  static func places(
    in body: Data, limit: Int
  ) throws(NominatimAnswer.Malformed) -> [Placemark] {
    guard let answer = try? JSONDecoder().decode(Collection.self, from: body) else {
      throw NominatimAnswer.Malformed()
    }
    return answer.features.prefix(limit).map(\.placemark)
  }

  private struct Collection: Decodable {
    let features: [Feature]
  }

  private struct Feature: Decodable {
    let placemark: Placemark

    private struct Geometry: Decodable { let coordinates: [Double] }

    private enum CodingKeys: String, CodingKey { case geometry, properties }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      let numbers = try values.decode(Geometry.self, forKey: .geometry).coordinates
      guard numbers.count >= 2 else { throw NominatimAnswer.Malformed() }
      let properties = try values.decode(Properties.self, forKey: .properties)
      placemark = properties.placemark(
        at: try Coordinate(latitude: numbers[1], longitude: numbers[0]))
    }
  }

  private struct Properties: Decodable {
    let texts: [String: String]
    let bounds: BoundingBox?

    private enum CodingKeys: String, CodingKey { case extent }

    init(from decoder: any Decoder) throws {
      let values = try decoder.singleValueContainer()
      texts = try values.decode([String: LooseText].self).compactMapValues(\.text)
      let sides =
        (try? decoder.container(keyedBy: CodingKeys.self)
          .decodeIfPresent([Double].self, forKey: .extent)) ?? []
      bounds =
        sides.count == 4
        ? BoundingBox(south: sides[3], north: sides[1], west: sides[0], east: sides[2]) : nil
    }

    /// An answer names what a place is in, but not the place itself again.
    func placemark(at coordinate: Coordinate) -> Placemark {
      var placemark = Placemark(coordinate: coordinate)
      let name = texts["name"]
      let kind = texts["type"]
      func member(_ key: String) -> String? { texts[key] ?? (kind == key ? name : nil) }
      placemark.thoroughfare = member("street")
      placemark.subThoroughfare = texts["housenumber"]
      placemark.locality = member("city") ?? (isSettlement ? name : nil)
      placemark.subLocality = member("district") ?? (isSettlement ? nil : member("locality"))
      placemark.subAdministrativeArea = member("county")
      placemark.administrativeArea = member("state")
      placemark.country = member("country")
      placemark.isoCountryCode = CountryCode.code(texts["countrycode"])
      placemark.postalCode = texts["postcode"]
      placemark.name = name ?? placemark.thoroughfare ?? placemark.locality
      placemark.region = bounds?.circle(
        named: [texts["osm_type"], texts["osm_id"]].compactMap(\.self).joined(separator: " "))
      placemark.source = "Photon"
      placemark.attribution = OpenStreetMap.attribution
      return placemark
    }

    private var isSettlement: Bool {
      texts["osm_key"] == "place"
        && ["city", "town", "village", "hamlet"].contains(texts["osm_value"] ?? "")
    }
  }
}
