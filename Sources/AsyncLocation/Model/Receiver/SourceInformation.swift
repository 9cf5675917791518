/// The origin of a report.
///
/// A value has six bytes: its ``device`` is stored as a number. A process stores each name once
/// and never removes it, up to 1,048,576 names and 64 MiB in total. A source with a new name beyond
/// these limits has no device.
public struct SourceInformation: Sendable, Hashable, BitwiseCopyable {
  /// The clock that set the time of a report, and its reliability.
  @nonexhaustive
  public enum TimeSource: String, Sendable, Hashable, Codable, BitwiseCopyable {
    /// The receiver's clock.
    case receiver
    /// The receiver's clock before it is confirmed: its date or leap seconds may still change.
    case provisional
    /// The host's clock at arrival, because the receiver reported no usable time.
    case host
  }

  /// The receiver's identifier, used for all comparisons of receivers.
  package let deviceID: DeviceID
  private let flags: Flags
  /// The clock that set the report's timestamp.
  public let timeSource: TimeSource

  private struct Flags: OptionSet, Sendable, Hashable, BitwiseCopyable {
    let rawValue: UInt8

    static var isSimulated: Self { Self(rawValue: 1 << 0) }
    static var isPreferred: Self { Self(rawValue: 1 << 1) }
  }

  /// True when a simulator or a replay produced the report.
  public var isSimulated: Bool { flags.contains(.isSimulated) }
  /// True when the report is for subscribers without a `device` option; false when only subscribers
  /// that select its receiver with ``UpdateOptions/device`` receive it. Always true for a source
  /// with one receiver.
  public var isPreferred: Bool { flags.contains(.isPreferred) }

  /// The receiver's name, such as gpsd's device path. The name is external input: escape it before
  /// printing.
  public var device: String? { deviceID.name }

  /// Creates source information. A device that exceeds the limits of the process becomes nil.
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
    self.deviceID = deviceID
    self.timeSource = timeSource
    flags = Flags(rawValue: (isSimulated ? 1 << 0 : 0) | (isPreferred ? 1 << 1 : 0))
  }
}

/// Encoded with the property names; absent members are omitted, and so is `isPreferred` when true.
/// An unknown time source is decoded as ``TimeSource/provisional``, the most cautious value.
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
  /// Whether subscribers without a `device` option receive the report. True without source
  /// information.
  @inline(__always)
  var isPreferred: Bool { self?.isPreferred ?? true }

  /// The receiver's identifier; ``DeviceID/none`` when the source or its name is unknown.
  @inline(__always)
  var deviceID: DeviceID { self?.deviceID ?? .none }

  /// True when this is the receiver with an identifier that options select. A receiver whose name
  /// did not fit into the table is never selected.
  @inline(__always)
  func isOf(_ device: DeviceID) -> Bool { device != .none && deviceID == device }
}
