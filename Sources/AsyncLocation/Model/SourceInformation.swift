/// Where a report came from.
public struct SourceInformation: Sendable, Hashable, Codable {
  /// Who set the time of a report.
  public enum TimeSource: String, Sendable, Hashable, Codable {
    /// The receiver.
    case receiver
    /// This computer, at arrival, since the receiver gave no usable time.
    case host
  }

  /// True when a simulator or a replay made the report.
  public let isSimulated: Bool
  /// The receiver's name, such as gpsd's device path. Text from outside: escape before printing.
  public let device: String?
  /// Who set the report's timestamp.
  public let timeSource: TimeSource

  /// Creates the description of a source.
  public init(
    isSimulated: Bool = false, device: String? = nil, timeSource: TimeSource = .receiver
  ) {
    self.isSimulated = isSimulated
    self.device = device
    self.timeSource = timeSource
  }
}
