public import AsyncLocation
import FoundationEssentials

/// Encoded as an object with all members by name; a missing count is decoded as 0.
///
/// `phaseInstant` is not encoded, because its clock has no meaning in another process; decoded
/// statistics have no `phaseAge`. A phase that is unknown to this version is decoded as
/// `connecting`.
extension GPSDStatistics: TabulatedMembers, Codable {
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

  private enum CodingKeys: String, CodingKey {
    case phase, phaseDate, daemon, preferredReceiver, classes, lastError
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    phase =
      ConnectionState.Phase(rawValue: try values.decode(String.self, forKey: .phase))
      ?? .connecting
    phaseDate = try values.decodeTimestampIfPresent(forKey: .phaseDate)
    daemon = try values.decodeIfPresent(GPSDVersion.self, forKey: .daemon)
    preferredReceiver = try values.decodeIfPresent(String.self, forKey: .preferredReceiver)
    classes = try values.decodeIfPresent(Classes.self, forKey: .classes) ?? Classes()
    lastError = try values.decodeIfPresent(LocationError.self, forKey: .lastError)
    try decodeTable(from: try decoder.container(keyedBy: MemberKey.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(phase, forKey: .phase)
    try values.encodeIfPresent(
      phaseDate.map { Timestamp.format(Timestamp.nearest($0)) }, forKey: .phaseDate)
    try values.encodeIfPresent(daemon, forKey: .daemon)
    try values.encodeIfPresent(preferredReceiver, forKey: .preferredReceiver)
    try values.encode(classes, forKey: .classes)
    try values.encodeIfPresent(lastError, forKey: .lastError)
    var numbers = encoder.container(keyedBy: MemberKey.self)
    try encodeTable(into: &numbers)
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
