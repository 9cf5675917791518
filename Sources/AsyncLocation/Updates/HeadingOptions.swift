/// A subscriber's options for headings. They do not affect other subscribers.
public struct HeadingOptions: Sendable, Hashable {
  /// The minimum change in degrees since the last delivered heading; 0 delivers every heading.
  public var headingFilter: Double
  /// The only receiver to deliver, by ``Receiver/name``; nil for the source's preferred receivers.
  /// A missing receiver or an invalid name is handled as in ``UpdateOptions/device``.
  public var device: String?
  /// The buffering while the subscriber is busy.
  public var buffering: BufferingPolicy

  /// Creates options. The default filter is one degree, as in Core Location.
  public init(
    headingFilter: Double = 1, device: String? = nil, buffering: BufferingPolicy = .newest(64)
  ) {
    self.headingFilter = headingFilter
    self.device = device
    self.buffering = buffering
  }

  /// The demand of a subscriber with these options.
  var demand: BackendDemand {
    BackendDemand(kinds: .headings, devices: device.map { [$0] })
  }
}
