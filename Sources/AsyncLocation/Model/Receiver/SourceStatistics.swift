package import FoundationEssentials

/// The statistics of a source: the phase of its connection and when it began, the last error, and
/// the counts of the table.
package protocol SourceStatistics: TabulatedMembers {
  var phase: ConnectionState.Phase { get set }
  var phaseDate: Date? { get set }
  var lastError: LocationError? { get set }
}

private enum SourceStatisticsKey: String, CodingKey { case phase, phaseDate, lastError }

extension SourceStatistics {
  package var members: [DescribedMember] {
    [DescribedMember("phase", phase), DescribedMember("phaseDate", phaseDate)]
      + Self.table.map { $0.described(self) } + [DescribedMember("lastError", lastError)]
  }

  /// Stores the phase and, if it has changed, when it began. Returns whether it has changed.
  @discardableResult
  package mutating func change(to phase: ConnectionState.Phase) -> Bool {
    guard phase != self.phase || phaseDate == nil else { return false }
    self.phase = phase
    phaseDate = Timestamp.nearest(Date())
    return true
  }

  /// Encodes the phase, the last error and the table. Absent members are omitted.
  package func encodeMembers(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: SourceStatisticsKey.self)
    try values.encode(phase, forKey: .phase)
    try values.encodeIfPresent(
      phaseDate.map { Timestamp.format(Timestamp.nearest($0)) }, forKey: .phaseDate)
    try values.encodeIfPresent(lastError, forKey: .lastError)
    var numbers = encoder.container(keyedBy: MemberKey.self)
    try encodeTable(into: &numbers)
  }

  /// Decodes what ``encodeMembers(to:)`` encodes. A missing count keeps its value, and an unknown
  /// phase is decoded as `connecting`.
  package mutating func decodeMembers(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: SourceStatisticsKey.self)
    phase =
      ConnectionState.Phase(rawValue: try values.decode(String.self, forKey: .phase))
      ?? .connecting
    phaseDate = try values.decodeTimestampIfPresent(forKey: .phaseDate)
    lastError = try values.decodeIfPresent(LocationError.self, forKey: .lastError)
    try decodeTable(from: try decoder.container(keyedBy: MemberKey.self))
  }
}
