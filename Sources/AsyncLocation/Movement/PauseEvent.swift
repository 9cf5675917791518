/// A pause of the streams that pause while their receiver is stationary, or its end; the element of
/// ``LocationManager/pauseEvents``.
public struct PauseEvent: Sendable, Hashable, Codable {
  /// True when the streams pause, false when they resume.
  public let isPaused: Bool
  /// The activity of the streams.
  public let activityType: ActivityType
  /// The receiver that the options of the streams name; nil for the source's preferred receiver.
  public let device: String?

  /// Creates an event.
  public init(isPaused: Bool, activityType: ActivityType = .other, device: String? = nil) {
    self.isPaused = isPaused
    self.activityType = activityType
    self.device = device
  }
}

extension PauseEvent: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("isPaused", isPaused),
      DescribedMember("activityType", activityType),
      DescribedMember("device", device),
    ]
  }
}
