public import AsyncLocation
import FoundationEssentials

/// Encoded with the property names. Times are ISO 8601 in UTC, absent members are omitted, and
/// `purposes` are in seconds.
extension AuthorizationExplanation: Codable, Described {
  private enum CodingKeys: String, CodingKey {
    case path, client, decision, locationServicesEnabled, expires, purposes, keyNotice
    case error
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let seconds = try values.decodeIfPresent([String: Double].self, forKey: .purposes) ?? [:]
    self.init(
      path: try values.decode(String.self, forKey: .path),
      client: try values.decode(String.self, forKey: .client),
      decision: try values.decode(AuthorizationDecision.self, forKey: .decision),
      locationServicesEnabled: try values.decode(Bool.self, forKey: .locationServicesEnabled),
      expires: try values.decodeTimestampIfPresent(forKey: .expires),
      purposes: try seconds.mapValues { seconds in
        guard let duration = ExactSeconds.duration(seconds) else {
          throw DecodingError.dataCorruptedError(
            forKey: .purposes, in: values,
            debugDescription: "\(seconds) seconds do not fit in a duration.")
        }
        return duration
      },
      keyNotice: try values.decodeIfPresent(String.self, forKey: .keyNotice),
      error: try values.decodeIfPresent(LocationError.self, forKey: .error))
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(path, forKey: .path)
    try values.encode(client, forKey: .client)
    try values.encode(decision, forKey: .decision)
    try values.encode(locationServicesEnabled, forKey: .locationServicesEnabled)
    try values.encodeIfPresent(expires.map(Timestamp.format), forKey: .expires)
    try values.encode(purposes.mapValues(ExactSeconds.number), forKey: .purposes)
    try values.encodeIfPresent(keyNotice, forKey: .keyNotice)
    try values.encodeIfPresent(error, forKey: .error)
  }

  package var members: [DescribedMember] {
    [
      DescribedMember("path", path),
      DescribedMember("client", client),
      DescribedMember("decision", decision),
      DescribedMember("locationServicesEnabled", locationServicesEnabled),
      DescribedMember("expires", expires),
      DescribedMember("purposes", purposes),
      DescribedMember("keyNotice", keyNotice),
      DescribedMember("error", error),
    ]
  }
}
