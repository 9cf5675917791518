/// The start or end of a pause of streams whose receiver is stationary; the element of
/// ``LocationManager/pauseEvents``.
public struct PauseEvent: Sendable, Hashable {
  /// True when the streams pause, false when they resume.
  public let isPaused: Bool
  /// The activity of the streams.
  public let activityType: ActivityType
  /// The receiver named in the streams' options; nil for the source's preferred receiver.
  public let device: String?

  /// Creates an event.
  public init(isPaused: Bool, activityType: ActivityType = .other, device: String? = nil) {
    self.isPaused = isPaused
    self.activityType = activityType
    self.device = device
  }
}

/// Encoded with the property names. An activity that this version does not define is decoded as
/// ``ActivityType/other``.
extension PauseEvent: Codable, Described {
  private enum CodingKeys: String, CodingKey { case isPaused, activityType, device }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      isPaused: try values.decode(Bool.self, forKey: .isPaused),
      activityType: try values.decodeKnown(ActivityType.self, forKey: .activityType) ?? .other,
      device: try values.decodeIfPresent(String.self, forKey: .device))
  }

  package var members: [DescribedMember] {
    [
      DescribedMember("isPaused", isPaused),
      DescribedMember("activityType", activityType),
      DescribedMember("device", device),
    ]
  }
}
