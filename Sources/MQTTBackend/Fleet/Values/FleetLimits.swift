public import AsyncLocation

/// The limits of a fleet. Devices are not trusted: anything beyond a limit is dropped and counted
/// in ``FleetStatistics``, and the other devices are served.
public struct FleetLimits: Sendable, Hashable {
  /// The number of known devices. Further devices are refused, not exchanged for known ones:
  /// otherwise anybody who invents devices could make the fleet forget the real ones.
  public var devices: Int
  /// The size of a device's `USER/DEVICE` in bytes. Devices with a longer one are ignored.
  public var nameLength: Int
  /// The size of a message in bytes, beside its topic.
  public var payloadLength: Int
  /// The number of messages a second that a known device may send in the long run.
  public var messagesPerSecond: Int
  /// The number of messages that a known device may send at once, such as locations that it stored
  /// while it was offline. After that, ``messagesPerSecond`` counts.
  public var burst: Int
  /// How far a location's time may be in the future. Later ones are dropped.
  ///
  /// Locations of a device are delivered only in ascending order of time, so one from the future
  /// holds back those that follow it until their time has come: for this duration at most. It covers
  /// the error of both clocks, of a receiver and of this host.
  public var futureTolerance: Duration
  /// The time without a location after which a device is forgotten; nil for never. Its next message
  /// makes it a new device. Devices are forgotten when messages arrive, up to 64 with each.
  public var silence: Duration?
  /// The number of elements that each stream buffers; see ``messageBytes`` for whole messages.
  public var buffering: BufferingPolicy
  /// The memory in bytes that a stream of ``Fleet/messages`` buffers, about: the newest messages are kept.
  public var messageBytes: Int
  /// The number of changes that wait for the storage while it fails, such as on a full disk. Beyond it, of
  /// each device only the last location and the states of conditions are kept for it.
  public var unstoredChanges: Int
  /// The number of stored events that wait for a consumer of ``Fleet/unfinishedEvents``. Beyond it, the
  /// oldest are discarded.
  public var unfinishedEvents: Int

  /// Creates limits.
  public init(
    devices: Int = 100_000, nameLength: Int = 256, payloadLength: Int = 65_536,
    messagesPerSecond: Int = 50, burst: Int = 20_000, futureTolerance: Duration = .seconds(10),
    silence: Duration? = nil, buffering: BufferingPolicy = .newest(16_384),
    messageBytes: Int = 1 << 25, unstoredChanges: Int = 200_000, unfinishedEvents: Int = 100_000
  ) {
    (self.devices, self.nameLength) = (devices, nameLength)
    (self.payloadLength, self.messagesPerSecond) = (payloadLength, messagesPerSecond)
    (self.burst, self.futureTolerance) = (burst, futureTolerance)
    (self.silence, self.buffering) = (silence, buffering)
    self.messageBytes = messageBytes
    (self.unstoredChanges, self.unfinishedEvents) = (unstoredChanges, unfinishedEvents)
  }
}

extension FleetLimits {
  /// - Throws: ``LocationError`` with `invalidValue` for the first invalid value.
  func validate() throws(LocationError) {
    try Self.check(devices, 1...10_000_000, "devices")
    try Self.check(nameLength, 3...65_535, "nameLength")
    try Self.check(payloadLength, 1...268_435_455, "payloadLength")
    try Self.check(messagesPerSecond, 1...1_000_000, "messagesPerSecond")
    try Self.check(burst, 1...1_000_000, "burst")
    try Self.check(messageBytes, 1...Int.max, "messageBytes")
    try Self.check(unstoredChanges, 1...100_000_000, "unstoredChanges")
    try Self.check(unfinishedEvents, 1...100_000_000, "unfinishedEvents")
    try Self.check(futureTolerance, atLeast: .zero, "futureTolerance")
    if let silence { try Self.check(silence, atLeast: .seconds(1), "silence") }
  }

  private static func check(
    _ value: Int, _ range: ClosedRange<Int>, _ name: String
  ) throws(LocationError) {
    guard !range.contains(value) else { return }
    throw LocationError(
      .invalidValue,
      "\(name) must be in \(range.lowerBound)...\(range.upperBound), got \(value).")
  }

  private static func check(
    _ value: Duration, atLeast least: Duration, _ name: String
  ) throws(LocationError) {
    let longest = Duration.seconds(1_000_000_000)  // In nanoseconds, two fit into an Int64.
    guard value < least || value > longest else { return }
    throw LocationError(
      .invalidValue, "\(name) must be at least \(least) and at most \(longest), got \(value).")
  }
}
