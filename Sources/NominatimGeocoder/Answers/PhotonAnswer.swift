import AsyncLocation
import FoundationEssentials
import JSONScanning

/// Reads Photon's GeoJSON.
enum PhotonAnswer {
  /// The places of an answer as the server ranks them; empty if there are none. Unusable places are
  /// left out.
  static func places(
    in body: Data, limit: Int
  ) throws(NominatimAnswer.Malformed) -> [Placemark] {
    guard let features = try NominatimAnswer.document(body)["features"]?.elements else {
      throw NominatimAnswer.Malformed()
    }
    return try features.placemarks(limit: limit, placemark)
  }

  /// The placemark of a feature; nil without a position or properties.
  private static func placemark(_ feature: JSONDocument.Value) -> Placemark? {
    guard let position = feature["geometry"]?["coordinates"]?.numbers, position.count >= 2,
      let coordinate = try? Coordinate(latitude: position[1], longitude: position[0]),
      let properties = feature["properties"], properties.kind == .object
    else { return nil }
    let sides = properties["extent"]?.numbers ?? []
    let bounds =
      sides.count == 4
      ? BoundingBox(south: sides[3], north: sides[1], west: sides[0], east: sides[2]) : nil
    return Properties(texts: properties.looseTexts, bounds: bounds).placemark(at: coordinate)
  }

  private struct Properties {
    let texts: [String: String]
    let bounds: BoundingBox?

    /// Creates the placemark. Photon does not repeat the name of a place that is itself a region: a
    /// city has a `name`, but no `city`.
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
