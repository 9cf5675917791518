/// Decides which locations are an interval apart. Pure: both clocks are passed in.
///
/// An interval is over when the receiver's timestamps say so, or when the manager's clock does at
/// arrival. Timestamps know nothing of jitter, but they come from outside, and some tell nothing:
/// those that the host made, those of reduced accuracy, those that did not advance since the report
/// before. Then the arrival alone decides.
///
/// On each clock the schedule moves on by the interval from the turn, not from the delivery, so that
/// a delivery before its turn shortens no later one. A delivery comes before its turn when the next
/// report is expected farther from the turn than this one, and by ``tolerance`` at most.
///
/// The manager's clock also bounds the receiver's: since the first delivery there are no more than
/// one for each interval that has passed by it, and one more, since the first report may have been
/// late. Intervals without a delivery are made up for, ``burst`` of them at most: what a stall held
/// back arrives at once.
struct UpdatePace: Sendable {
  /// Of an interval: how much a delivery may come before its turn.
  static let tolerance = 0.25
  /// Of an interval, by the manager's clock: how much longer a receiver's second may be than ours.
  /// Slewing by NTP and the error of a crystal are less together.
  static let clockError = 0.001
  /// Intervals that are made up for at a time.
  static let burst = 64.0

  /// When one location was true, if its timestamp tells, and when it arrived.
  private struct Reading: Sendable {
    let device: DeviceID
    let time: Double?
    let arrival: Duration

    /// Seconds of the receiver's clock; nil where it tells nothing.
    func advance(since earlier: Self) -> Double? {
      guard let time, let start = earlier.time, device == earlier.device, time > start else {
        return nil
      }
      return time - start
    }

    /// Seconds of the manager's clock.
    func elapsed(since earlier: Self) -> Double {
      ExactSeconds.number(arrival - earlier.arrival)
    }
  }

  /// Seconds.
  private let interval: Double
  /// The location observed last, delivered or not.
  private var observed: Reading?
  /// The location delivered last.
  private var delivered: Reading?
  /// Seconds by which it came before its turn, by the receiver's clock and by the manager's.
  private var (receiverLead, arrivalLead) = (0.0, 0.0)
  /// The same against the bound; negative by what may be made up for.
  private var boundLead: Double

  private var slack: Double { interval * Self.tolerance }
  private var arrivalInterval: Double { interval * (1 - Self.clockError) }

  init(interval: Duration) {
    self.interval = ExactSeconds.number(interval)
    boundLead = -self.interval
  }

  /// Takes a location in; true when it is its turn.
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

  /// The location observed last is delivered.
  mutating func deliver() {
    guard let observed else { return }
    if let delivered {
      let elapsed = observed.elapsed(since: delivered)
      // A delivery that was due by one clock alone is no great lead on the other.
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
