import FoundationEssentials

/// Encoded with the property names; times are ISO 8601 in UTC, `cycle` is a number of seconds, and
/// absent members are omitted.
extension Receiver: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, driver, model, activated, baudRate, cycle
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try values.decode(String.self, forKey: .name),
      driver: try values.decodeIfPresent(String.self, forKey: .driver),
      model: try values.decodeIfPresent(String.self, forKey: .model),
      activated: try values.decodeTimestampIfPresent(forKey: .activated),
      baudRate: try values.decodeIfPresent(Int.self, forKey: .baudRate),
      cycle: try values.decodeDurationIfPresent(forKey: .cycle))
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encodeIfPresent(driver, forKey: .driver)
    try values.encodeIfPresent(model, forKey: .model)
    try values.encodeIfPresent(activated.map(Timestamp.format), forKey: .activated)
    try values.encodeIfPresent(baudRate, forKey: .baudRate)
    try values.encodeIfPresent(cycle.map(ExactSeconds.number), forKey: .cycle)
  }
}
