import AsyncLocation

/// A request as text: a target under the server's address, and the languages.
struct ServiceRequest: Sendable, Hashable {
  /// The path and the query, beginning with a slash.
  let target: String
  /// The value of `Accept-Language`.
  let languages: String

  /// The maximum length of a name in UTF-8 bytes.
  static let longestName = 256

  private init(_ path: String, _ query: [(String, String)], _ locale: GeocodingLocale?) {
    let pairs = query.map { "\($0)=\(Self.encoded($1))" }
    target = path + "?" + pairs.joined(separator: "&")
    let languages = locale?.languages ?? []
    self.languages = languages.isEmpty ? "*" : languages.joined(separator: ", ")
  }

  /// The request for the places at a point.
  static func reverse(
    _ point: Coordinate, _ locale: GeocodingLocale?, _ service: NominatimGeocoder.Service,
    limit: Int
  ) -> Self {
    let (latitude, longitude) = (degrees(point.latitude), degrees(point.longitude))
    switch service {
    case .nominatim:
      return Self(
        "/reverse", details + [("lat", latitude), ("lon", longitude)], locale)
    case .photon:
      return Self(
        "/reverse", [("lat", latitude), ("lon", longitude), ("limit", "\(limit)")], locale)
    }
  }

  /// The request for the places of a name.
  ///
  /// - Throws: `invalidValue` if the name is empty, too long or contains control characters.
  static func search(
    _ name: String, near: Coordinate?, _ locale: GeocodingLocale?,
    _ service: NominatimGeocoder.Service, limit: Int
  ) throws(LocationError) -> Self {
    guard name.utf8.count <= longestName, name.contains(where: { !$0.isWhitespace }) else {
      throw LocationError(.invalidValue, "The name is empty or longer than \(longestName) bytes.")
    }
    guard name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw LocationError(.invalidValue, "The name contains a control character; remove it.")
    }
    switch service {
    case .nominatim:
      var query = details + [("q", name), ("limit", "\(limit)")]
      if let near { query.append(("viewbox", viewbox(around: near))) }
      return Self("/search", query, locale)
    case .photon:
      var query = [("q", name), ("limit", "\(limit)")]
      if let near {
        query += [("lat", degrees(near.latitude)), ("lon", degrees(near.longitude))]
      }
      return Self("/api", query, locale)
    }
  }

  private static let details = [
    ("format", "jsonv2"), ("addressdetails", "1"), ("extratags", "1"),
  ]

  /// A box of about 50 km to each side. It ends at the antimeridian, which Nominatim does not
  /// cross.
  private static func viewbox(around point: Coordinate) -> String {
    let height = 0.45
    let east = try? point.coordinate(atDistance: 50_000, bearing: 90)
    let difference = ((east?.longitude ?? 0) - point.longitude).magnitude
    let width = min(difference, 360 - difference)
    return [
      max(point.longitude - width, -180), max(point.latitude - height, -90),
      min(point.longitude + width, 180), min(point.latitude + height, 90),
    ].map(degrees).joined(separator: ",")
  }

  /// Formats a number with seven decimals, about a centimetre, and without an exponent.
  static func degrees(_ value: Double) -> String {
    let scaled = Int((value.magnitude * 1e7).rounded())
    let fraction = String(scaled % 10_000_000)
    let sign = value < 0 && scaled > 0 ? "-" : ""
    return sign + "\(scaled / 10_000_000)."
      + String(repeating: "0", count: 7 - fraction.count) + fraction
  }

  /// Percent-encodes every byte except the unreserved ones of RFC 3986, so that no byte has a
  /// special meaning.
  static func encoded(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%" + (digits.count < 2 ? "0" : "") + digits
      }
    }
    return result
  }
}
