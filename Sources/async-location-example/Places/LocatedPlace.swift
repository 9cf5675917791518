import AsyncLocation

/// A location and its place, as `watch --places --format json` prints them: the members of the
/// location, and `placemark`.
struct LocatedPlace: Encodable {
  let location: Location
  let placemark: Placemark?

  private enum CodingKeys: String, CodingKey { case placemark }

  func encode(to encoder: any Encoder) throws {
    try location.encode(to: encoder)
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(placemark, forKey: .placemark)
  }
}
