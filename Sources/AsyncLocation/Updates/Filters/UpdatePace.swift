/// Decides which locations are an interval apart. Pure: both clocks are passed in.
///
/// An interval has passed when it has passed by the receiver's timestamps, or by the manager's
/// clock at arrival. Timestamps have no jitter, but they are external input, and some carry no
/// information: those set by the host, those of reduced accuracy, and those that did not advance
/// since the previous report. For these only the arrival counts.
///
/// On each clock the next due time is one interval after the previous due time, not after the
/// delivery, so that an early delivery does not shorten later intervals. A report is delivered
/// early when the next report is expected to be farther from the due time than this one, and at
/// most by ``tolerance``.
///
/// The manager's clock also limits the receiver's: since the first delivery there is at most one
/// delivery per elapsed interval, and one more, since the first report may have been late. Up to
/// ``burst`` intervals without a delivery are made up for, because reports that a stall delayed
/// arrive together.
struct UpdatePace: Sendable {
  /// The fraction of an interval by which a delivery may be early.
  static let tolerance = 0.25
  /// The fraction of an interval by which a receiver's clock may run faster than the manager's. NTP
  /// slewing and crystal errors together are smaller.
  static let clockError = 0.001
  /// The maximum number of intervals that are made up for.
  static let burst = 64.0

  /// The receiver's time of a location, if its timestamp is usable, and the time of its arrival.
  private struct Reading: Sendable {
    let device: DeviceID
    let time: Double?
    let arrival: Duration

    /// Seconds by the receiver's clock; nil if it is unusable.
    func advance(since earlier: Self) -> Double? {
      guard let time, let start = earlier.time, device == earlier.device, time > start else {
        return nil
      }
      return time - start
    }

    /// Seconds by the manager's clock.
    func elapsed(since earlier: Self) -> Double {
      ExactSeconds.number(arrival - earlier.arrival)
    }
  }

  /// The interval in seconds.
  private let interval: Double
  /// The location observed last, delivered or not.
  private var observed: Reading?
  /// The location delivered last.
  private var delivered: Reading?
  /// Seconds by which the last delivery was early, by the receiver's clock and by the manager's.
  private var (receiverLead, arrivalLead) = (0.0, 0.0)
  /// Seconds by which deliveries are ahead of the limit; if negative, the time that may be made up
  /// for. Begins one interval behind, since the first report may have been late.
  private var boundLead: Double

  private var slack: Double { interval * Self.tolerance }
  private var arrivalInterval: Double { interval * (1 - Self.clockError) }

  init(interval: Duration) {
    self.interval = ExactSeconds.number(interval)
    boundLead = -self.interval
  }

  /// Observes a location and returns true when it is due.
  ///
  /// - Parameter isCoarse: True for reduced accuracy.
  mutating func observe(
    _ location: borrowing Location, at instant: Duration, isCoarse: Bool
  ) -> Bool {
    let source = location.sourceInformation
    let isTimed = !isCoarse && source?.timeSource != .host
    let reading = Reading(
      device: source.deviceID, time: isTimed ? location.timestampSeconds : nil, arrival: instant)
    defer { observed = reading }
    guard let delivered, let observed else { return true }
    let elapsed = reading.elapsed(since: delivered)
    guard elapsed >= arrivalInterval + boundLead - slack else { return false }
    guard let step = reading.advance(since: observed),
      let advance = reading.advance(since: delivered)
    else {
      let step = reading.elapsed(since: observed)
      return elapsed >= arrivalInterval + arrivalLead - min(step / 2, slack)
    }
    return advance >= interval + receiverLead - min(step / 2, slack)
      || elapsed >= interval + arrivalLead
  }

  /// Records that the last observed location is delivered.
  mutating func deliver() {
    guard let observed else { return }
    if let delivered {
      let elapsed = observed.elapsed(since: delivered)
      // A delivery that was due by one clock only must not count as far ahead on the other.
      arrivalLead = min(max(arrivalLead + arrivalInterval - elapsed, 0), slack)
      boundLead = max(boundLead + arrivalInterval - elapsed, -Self.burst * interval)
      receiverLead =
        observed.advance(since: delivered).map {
          min(max(receiverLead + interval - $0, 0), slack)
        } ?? 0
    }
    delivered = observed
  }
}
