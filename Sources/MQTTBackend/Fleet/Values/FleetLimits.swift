public import AsyncLocation

/// The limits of a fleet. Devices are not trusted: messages beyond a limit are dropped and counted
/// in ``FleetStatistics``, and other devices are not affected.
public struct FleetLimits: Sendable, Hashable {
  /// The maximum number of known devices. Further devices are refused and do not replace known
  /// ones. Otherwise, a client that invents devices could make the fleet forget the real ones.
  public var devices: Int
  /// The maximum size of a device's `USER/DEVICE` in bytes. Devices with a longer name are ignored.
  public var nameLength: Int
  /// The maximum size of a message in bytes, without its topic.
  public var payloadLength: Int
  /// The maximum sustained rate of a known device, in messages per second.
  public var messagesPerSecond: Int
  /// The maximum number of messages that a known device may send at once, such as locations that it
  /// stored while it was offline. After that, ``messagesPerSecond`` applies.
  public var burst: Int
  /// How far a location's time may be in the future. Locations beyond it are dropped.
  ///
  /// Locations of a device are delivered only in ascending order of time. So after a location from
  /// the future, the following ones are dropped until its time is reached: for this duration at
  /// most. The tolerance covers the errors of both clocks, the receiver's and this host's.
  public var futureTolerance: Duration
  /// How long a location waits for the one that its device sent before it, if that has not arrived;
  /// zero for not at all.
  ///
  /// A device that requests confirmations names the location before each one. A cluster of brokers
  /// sends what was on its way to a lost node again after newer messages; such a location would
  /// otherwise be stored, but neither delivered nor compared with the conditions. After this time,
  /// which is measured for each location to the second, it is delivered without the missing one. A
  /// run that continues a session holds the retained locations for at most this time too, while the
  /// messages of the session arrive.
  ///
  /// A waiting location is neither stored nor confirmed, and its device sends at most 1,024 without a
  /// confirmation. As many of a device may wait, and those of 4,096 devices; about 64 MB in all.
  /// Beyond it the device with the most is served first. None waits in a group, after a message of
  /// the device was dropped, or in a fleet with a storage that confirms nothing.
  public var gapTimeout: Duration
  /// The time without a location after which a device is forgotten; nil for never. Its next message
  /// adds it as a new device. Devices are forgotten only when messages arrive, up to 64 for each
  /// message.
  public var silence: Duration?
  /// The number of elements that each stream buffers; see ``messageBytes`` for whole messages.
  public var buffering: BufferingPolicy
  /// The approximate size in bytes of the buffer of a ``Fleet/messages`` stream, which retains the
  /// newest messages.
  public var messageBytes: Int
  /// The maximum number of changes that wait for the storage while it fails, for example because
  /// the disk is full. Beyond it, only the last location and the states of the conditions of each
  /// device and the newest events are retained.
  public var unstoredChanges: Int
  /// The maximum number of stored events that wait for a consumer of ``Fleet/unfinishedEvents``.
  /// Beyond it, the oldest events are discarded.
  public var unfinishedEvents: Int

  /// Creates limits.
  public init(
    devices: Int = 100_000, nameLength: Int = 256, payloadLength: Int = 65_536,
    messagesPerSecond: Int = 50, burst: Int = 20_000, futureTolerance: Duration = .seconds(10),
    gapTimeout: Duration = .seconds(45), silence: Duration? = nil,
    buffering: BufferingPolicy = .newest(16_384),
    messageBytes: Int = 1 << 25, unstoredChanges: Int = 200_000, unfinishedEvents: Int = 100_000
  ) {
    (self.devices, self.nameLength) = (devices, nameLength)
    (self.payloadLength, self.messagesPerSecond) = (payloadLength, messagesPerSecond)
    (self.burst, self.futureTolerance) = (burst, futureTolerance)
    self.gapTimeout = gapTimeout
    (self.silence, self.buffering) = (silence, buffering)
    self.messageBytes = messageBytes
    (self.unstoredChanges, self.unfinishedEvents) = (unstoredChanges, unfinishedEvents)
  }
}

extension FleetLimits {
  /// Checks that all values are in their ranges.
  ///
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
    try Self.check(gapTimeout, atLeast: .zero, "gapTimeout")
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
    // In nanoseconds, the sum of two such durations fits into an Int64.
    let longest = Duration.seconds(1_000_000_000)
    guard value < least || value > longest else { return }
    throw LocationError(
      .invalidValue, "\(name) must be at least \(least) and at most \(longest), got \(value).")
  }
}
