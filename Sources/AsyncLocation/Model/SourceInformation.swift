/// Where a report came from.
public struct SourceInformation: Sendable, Hashable {
  /// Who set the time of a report, and how far it can be trusted.
  public enum TimeSource: String, Sendable, Hashable, Codable {
    /// The receiver.
    case receiver
    /// The receiver, before it has proved its clock: its date or its leap seconds may yet change.
    case provisional
    /// This computer, at arrival, since the receiver gave no usable time.
    case host
  }

  /// The receiver's name, such as gpsd's device path. Text from outside: escape before printing.
  public let device: String?
  /// True when a simulator or a replay made the report.
  public let isSimulated: Bool
  /// Who set the report's timestamp.
  public let timeSource: TimeSource
  /// True when the report is of the receiver that serves those who name none; false when only
  /// those who name its receiver, as ``UpdateOptions/device`` does, get it. A source with one
  /// receiver has no other.
  public let isPreferred: Bool

  /// Creates the description of a source.
  public init(
    isSimulated: Bool = false, device: String? = nil, timeSource: TimeSource = .receiver,
    isPreferred: Bool = true
  ) {
    self.isSimulated = isSimulated
    self.device = device
    self.timeSource = timeSource
    self.isPreferred = isPreferred
  }
}

/// As all values; `isPreferred` is left out when true.
extension SourceInformation: Codable {
  private enum CodingKeys: String, CodingKey { case isSimulated, device, timeSource, isPreferred }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      isSimulated: try values.decode(Bool.self, forKey: .isSimulated),
      device: try values.decodeIfPresent(String.self, forKey: .device),
      timeSource: try values.decode(TimeSource.self, forKey: .timeSource),
      isPreferred: try values.decodeIfPresent(Bool.self, forKey: .isPreferred) ?? true)
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(isSimulated, forKey: .isSimulated)
    try values.encodeIfPresent(device, forKey: .device)
    try values.encode(timeSource, forKey: .timeSource)
    if !isPreferred { try values.encode(isPreferred, forKey: .isPreferred) }
  }
}

extension SourceInformation? {
  /// True unless the source says that another one is preferred.
  @inline(__always)
  var isPreferred: Bool { self?.isPreferred ?? true }
}
