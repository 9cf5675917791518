import FoundationEssentials

/// Encoded with the property names; absent members are omitted. `minimumInterval` is a number of
/// seconds with nanosecond precision, and `devices` is sorted.
extension BackendDemand: Codable, Described {
  private enum CodingKeys: String, CodingKey {
    case kinds, desiredAccuracy, minimumInterval, devices
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      kinds: try values.decode(BackendCapabilities.self, forKey: .kinds),
      desiredAccuracy: try values.decodeIfPresent(DesiredAccuracy.self, forKey: .desiredAccuracy)
        ?? .best,
      minimumInterval: try values.decodeDurationIfPresent(forKey: .minimumInterval) ?? .zero,
      devices: try values.decodeIfPresent(Set<String>.self, forKey: .devices))
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(kinds, forKey: .kinds)
    try values.encode(desiredAccuracy, forKey: .desiredAccuracy)
    try values.encode(ExactSeconds.number(minimumInterval), forKey: .minimumInterval)
    try values.encodeIfPresent(devices?.sorted(), forKey: .devices)
  }

  package var members: [DescribedMember] {
    [
      DescribedMember("kinds", kinds),
      DescribedMember("desiredAccuracy", desiredAccuracy),
      DescribedMember("minimumInterval", minimumInterval),
      DescribedMember("devices", devices),
    ]
  }
}
