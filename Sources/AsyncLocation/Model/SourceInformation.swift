/// Where a report came from.
///
/// A value is seven bytes: it holds a number for the name of its ``device``. A process keeps each
/// name that it has met, once and to its end: 1,048,576 names and 64 MiB of them at most. A source
/// made beyond that has no device.
public struct SourceInformation: Sendable, Hashable, BitwiseCopyable {
  /// Who set the time of a report, and how far it can be trusted.
  public enum TimeSource: String, Sendable, Hashable, Codable, BitwiseCopyable {
    /// The receiver.
    case receiver
    /// The receiver, before it has proved its clock: its date or its leap seconds may yet change.
    case provisional
    /// This computer, at arrival, since the receiver gave no usable time.
    case host
  }

  /// The receiver's name, by which all who compare receivers do so.
  package let deviceID: DeviceID
  /// True when a simulator or a replay made the report.
  public let isSimulated: Bool
  /// Who set the report's timestamp.
  public let timeSource: TimeSource
  /// True when the report is of the receiver that serves those who name none; false when only
  /// those who name its receiver, as ``UpdateOptions/device`` does, get it. A source with one
  /// receiver has no other.
  public let isPreferred: Bool

  /// The receiver's name, such as gpsd's device path. Text from outside: escape before printing.
  public var device: String? { deviceID.name }

  /// Creates the description of a source. A device that the process has no room for becomes nil.
  public init(
    isSimulated: Bool = false, device: String? = nil, timeSource: TimeSource = .receiver,
    isPreferred: Bool = true
  ) {
    self.init(
      isSimulated: isSimulated, deviceID: DeviceID(device), timeSource: timeSource,
      isPreferred: isPreferred)
  }

  package init(
    isSimulated: Bool = false, deviceID: DeviceID, timeSource: TimeSource = .receiver,
    isPreferred: Bool = true
  ) {
    self.isSimulated = isSimulated
    self.deviceID = deviceID
    self.timeSource = timeSource
    self.isPreferred = isPreferred
  }
}

/// As all values; `isPreferred` is left out when true. A time source that this version does not know
/// is read as ``TimeSource/provisional``, the one that claims least.
extension SourceInformation: Codable {
  private enum CodingKeys: String, CodingKey { case isSimulated, device, timeSource, isPreferred }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      isSimulated: try values.decode(Bool.self, forKey: .isSimulated),
      device: try values.decodeIfPresent(String.self, forKey: .device),
      timeSource: try Self.timeSource(values),
      isPreferred: try values.decodeIfPresent(Bool.self, forKey: .isPreferred) ?? true)
  }

  private static func timeSource(
    _ values: KeyedDecodingContainer<CodingKeys>
  ) throws -> TimeSource {
    try TimeSource(rawValue: values.decode(String.self, forKey: .timeSource)) ?? .provisional
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

  /// The receiver; ``DeviceID/none`` when the source or its name is not known.
  @inline(__always)
  var deviceID: DeviceID { self?.deviceID ?? .none }

  /// True when the receiver is the one that options name. One whose name did not fit into the table
  /// is nobody's.
  @inline(__always)
  func isOf(_ device: DeviceID) -> Bool { device != .none && deviceID == device }
}
