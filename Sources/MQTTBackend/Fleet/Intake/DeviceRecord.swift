import AsyncLocation

/// The values that a ``DeviceDirectory`` stores for a known device, besides its name and location.
/// Small, because it is accessed for each message.
struct DeviceRecord: Sendable {
  /// The time of the last delivered location; nil if there is none.
  var lastTime: Double? {
    get { time.isNaN ? nil : time }
    set { time = newValue ?? .nan }
  }
  private var time = Double.nan
  /// When the last location that was not retained arrived, or when the device was added, in
  /// nanoseconds.
  var lastHeard: Int64
  /// Limits the rate of the device's messages.
  var bucket = TokenBucket()
  /// Links of the list in the order of ``lastHeard``.
  var newer: UInt32 = 0
  var older: UInt32 = 0
  let hash: UInt32
  /// The number of devices that the fleet has added until this one: another number than before when
  /// it was forgotten meanwhile.
  let number: UInt32
  /// The number of interruptions at the time when ``lastPresence`` was set.
  private var interruption: UInt32 = 0
  private var lastPresence = FleetDevice.Presence.unknown
  /// Whether a location that was not retained has arrived.
  var hasSentLocation = false
  /// Whether the last message was encrypted and could not be decrypted. Malformed messages do not
  /// count.
  var isUnreadable = false
  /// Whether a message was dropped that may have been the one for which a later location would wait.
  var hasDropped = false
  /// The drop reasons that were reported, as bits, and when the first of them was reported, in
  /// seconds.
  private var reportedReasons: UInt8 = 0
  private var firstReported: UInt32 = 0

  init(hash: UInt32, number: UInt32, at now: Int64) {
    (self.hash, self.number, lastHeard) = (hash, number, now)
  }

  /// The presence; unknown after an interruption.
  ///
  /// - Parameter interruptions: The number of interruptions so far.
  func presence(after interruptions: UInt32) -> FleetDevice.Presence {
    interruption == interruptions ? lastPresence : .unknown
  }

  /// Sets the presence.
  ///
  /// - Returns: Whether the presence changed.
  mutating func setPresence(
    _ presence: FleetDevice.Presence, after interruptions: UInt32
  ) -> Bool {
    defer { (lastPresence, interruption) = (presence, interruptions) }
    return self.presence(after: interruptions) != presence
  }

  /// The time in seconds since the first reason was reported, after which all reasons are reported
  /// again.
  static let noticeInterval: UInt32 = 60

  /// Returns whether a drop reason is to be reported, and marks it as reported.
  mutating func markReported(_ reason: FleetDevice.DropReason, at now: Int64) -> Bool {
    let second = UInt32(truncatingIfNeeded: now / 1_000_000_000)
    if reportedReasons == 0 || second &- firstReported >= Self.noticeInterval {
      (reportedReasons, firstReported) = (0, second)
    }
    let bit: UInt8 = 1 << reason.index
    defer { reportedReasons |= bit }
    return reportedReasons & bit == 0
  }

  /// The time since the last location that was not retained arrived; nil if none has.
  func silence(at now: Int64) -> Duration? {
    hasSentLocation ? .nanoseconds(max(0, now - lastHeard)) : nil
  }
}

/// Limits the rate of messages. Its only state is the time at which the bucket will be full again.
struct TokenBucket: Sendable, BitwiseCopyable {
  /// The size of a bucket and the rate at which it fills.
  struct Rate: Sendable {
    /// The time for one token in nanoseconds.
    let interval: Int64
    /// The time for a whole bucket.
    let capacity: Int64

    init(perSecond: Int, burst: Int) {
      interval = max(1, 1_000_000_000 / Int64(perSecond))
      capacity = interval * Int64(burst)
    }
  }

  private var isFullAt = Int64.min

  /// Whether there is a token.
  func hasToken(at now: Int64, _ rate: Rate) -> Bool {
    max(isFullAt, now) + rate.interval - now <= rate.capacity
  }

  /// Takes a token; returns false if there is none.
  mutating func takeToken(at now: Int64, _ rate: Rate) -> Bool {
    guard hasToken(at: now, rate) else { return false }
    isFullAt = max(isFullAt, now) + rate.interval
    return true
  }
}
