/// What one subscriber wants of headings. Another subscriber's wishes never show.
public struct HeadingOptions: Sendable, Hashable {
  /// Degrees of change from the heading delivered last; 0 for every heading.
  public var headingFilter: Double
  /// The only receiver that is wanted, by ``Receiver/name``; nil for those that the source
  /// prefers. One that is missing or invalid is treated as ``UpdateOptions/device`` says.
  public var device: String?
  /// What waits while the subscriber is busy.
  public var buffering: BufferingPolicy

  /// Creates options; by default a change of one degree is delivered, as Core Location does.
  public init(
    headingFilter: Double = 1, device: String? = nil, buffering: BufferingPolicy = .newest(64)
  ) {
    self.headingFilter = headingFilter
    self.device = device
    self.buffering = buffering
  }

  /// What a subscriber with these options asks of the backend.
  var demand: BackendDemand {
    BackendDemand(kinds: .headings, devices: device.map { [$0] })
  }
}
