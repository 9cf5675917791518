/// Decides whether the locations of one receiver can be trusted; see ``LocationIntegrity``.
///
/// Only fixes of GNSS receivers are assessed: positions of networks and of phones that combine
/// several sources jump without a reason.
package struct IntegrityStateMachine: Sendable {
  private var clock: ClockCheck
  private var movement = MovementCheck()
  private var signals = SignalCheck()
  private var hardware = HardwareCheck()

  /// - Parameter hostOffset: The host's wall clock less the monotonic clock, as seconds from
  ///   2001-01-01, to recognize a date that is wrong by 1,024 weeks; nil to leave that out.
  package init(hostOffset: Double? = nil) { clock = ClockCheck(hostOffset: hostOffset) }

  /// Handles a location in order of arrival, and returns the result; nil if it is not assessed.
  ///
  /// - Parameter instant: The arrival on a monotonic clock.
  package mutating func assess(
    _ location: borrowing Location, at instant: Duration
  ) -> LocationIntegrity? {
    guard let gnss = location.gnss else { return nil }
    let arrival = instant.approximateSeconds
    var time: Double?
    if location.sourceInformation?.timeSource ?? .receiver == .receiver {
      let seconds = location.timestampSeconds
      // A replay has a pace of its own.
      let isReplay = location.sourceInformation?.isSimulated ?? false
      if !isReplay, clock.observe(time: seconds, arrival: arrival) { movement.reset() }
      // Only the arrival is comparable while the clock is wrong.
      if clock.reasons.isEmpty { time = seconds }
    }
    if clock.isDoubtful {
      movement.expire(arrival)
    } else {
      movement.locate(location, time: time, arrival: arrival)
    }
    hardware.observe(gnss, at: arrival)
    return LocationIntegrity(
      reasons: [clock.reasons, movement.reasons, signals.reasons(at: arrival), hardware.reasons])
  }

  /// Handles a view of the receiver's sky.
  ///
  /// - Parameter instant: The arrival on a monotonic clock.
  package mutating func observe(_ view: SatelliteView, at instant: Duration) {
    signals.observe(view, at: instant.approximateSeconds)
  }
}

extension Duration {
  /// Seconds, exact to about a tenth of a microsecond for the uptime of a host.
  var approximateSeconds: Double {
    // The library's conversion of an Int128 takes thousands of instructions.
    let (high, low) = (
      Int64(truncatingIfNeeded: attoseconds >> 64), UInt64(truncatingIfNeeded: attoseconds)
    )
    return (Double(high) * 0x1p64 + Double(low)) * 1e-18
  }
}
