public import AsyncLocation
import FoundationEssentials

/// Encoded as an object with all members by name; a missing count is decoded as 0.
///
/// `phaseInstant` is not encoded, because its clock has no meaning in another process; decoded
/// statistics have no `phaseAge`. A phase that is unknown to this version is decoded as
/// `connecting`.
extension GPSDStatistics: SourceStatistics, Codable {
  /// The counts.
  package static let table: [TabulatedMember<Self>] = [
    TabulatedMember("receiverChanges", \.receiverChanges),
    TabulatedMember("bytes", \.bytes),
    TabulatedMember("reports", \.reports),
    TabulatedMember("malformedLines", \.malformedLines),
    TabulatedMember("overlongLines", \.overlongLines),
    TabulatedMember("repeatedPositions", \.repeatedPositions),
    TabulatedMember("attempts", \.attempts),
    TabulatedMember("connections", \.connections),
  ]

  private enum CodingKeys: String, CodingKey { case daemon, preferredReceiver, classes }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    daemon = try values.decodeIfPresent(GPSDVersion.self, forKey: .daemon)
    preferredReceiver = try values.decodeIfPresent(String.self, forKey: .preferredReceiver)
    classes = try values.decodeIfPresent(Classes.self, forKey: .classes) ?? Classes()
    try decodeMembers(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    try encodeMembers(to: encoder)
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(daemon, forKey: .daemon)
    try values.encodeIfPresent(preferredReceiver, forKey: .preferredReceiver)
    try values.encode(classes, forKey: .classes)
  }

  package var members: [DescribedMember] {
    [
      DescribedMember("phase", phase),
      DescribedMember("phaseDate", phaseDate),
      DescribedMember("phaseAge", phaseAge),
      DescribedMember("daemon", daemon),
      DescribedMember("preferredReceiver", preferredReceiver),
    ] + Self.table.map { $0.described(self) } + [
      DescribedMember("classes", classes),
      DescribedMember("lastError", lastError),
    ]
  }
}

/// Encoded as an object with all counts by name; a missing count is decoded as 0.
extension GPSDStatistics.Classes: TabulatedValue {
  package static let standard = Self()
  package static let table: [TabulatedMember<Self>] = [
    TabulatedMember("positions", \.positions),
    TabulatedMember("skies", \.skies),
    TabulatedMember("attitudes", \.attitudes),
    TabulatedMember("devices", \.devices),
    TabulatedMember("errors", \.errors),
    TabulatedMember("others", \.others),
  ]
}

extension GPSDVersion: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("release", release),
      DescribedMember("protocolMajor", protocolMajor),
      DescribedMember("protocolMinor", protocolMinor),
    ]
  }
}
