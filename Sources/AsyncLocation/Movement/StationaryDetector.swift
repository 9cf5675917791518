/// Decides whether receivers are stationary, separately for each receiver.
struct StationaryDetector: Sendable {
  /// The radius covers the wander of a stationary receiver under open sky. A receiver that moves at
  /// ``StayDetector/standstillSpeed`` leaves it within the dwell. A stationary receiver that
  /// reports walking speed counts as moving.
  static let limits = StayDetector.Limits(radius: 30, dwell: 60, departureSpeed: 1.5)
  /// Names are external input, so the table is bounded: when it is full, all entries are removed.
  static let rememberedReceivers = 256

  private var receivers: [DeviceID: StayDetector] = [:]

  /// Handles a fix and returns whether its receiver is now stationary.
  ///
  /// - Parameter instant: The arrival time of the fix, on a monotonic clock.
  mutating func observe(_ location: Location, at instant: Duration) -> Bool {
    let device = location.sourceInformation.deviceID
    if receivers.count >= Self.rememberedReceivers, receivers[device] == nil {
      receivers.removeAll()
    }
    return receivers[device, default: StayDetector(Self.limits)].observe(location, at: instant)
  }
}
