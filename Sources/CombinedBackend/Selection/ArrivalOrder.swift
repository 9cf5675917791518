import AsyncLocation

/// Decides which locations follow those of another source in time.
///
/// A location whose timestamp is older than that of the last delivered one does not follow it. The
/// exception is a source whose clock is set differently: if its timestamps advance with real time,
/// and are behind the other source's by more than ``tolerance``, arrival decides. So a clock that is
/// minutes ahead delays the next source by no more than the fixes that show the difference, and
/// clocks that agree cause no step back.
struct ArrivalOrder: Sendable {
  /// Seconds. Clocks that differ by less count as equal.
  static let tolerance = 10.0
  /// The number of fixes in a row with advancing timestamps that show how a clock is set.
  static let advancingFixes = 3

  /// The clock of one source, in seconds.
  private struct SourceClock: Sendable {
    /// The greatest difference between a timestamp and its arrival, which belongs to the least
    /// delayed fix; nil until it is shown.
    var offset: Double?
    var candidate: Candidate?

    struct Candidate: Sendable {
      let first: (timestamp: Double, arrival: Double)
      var last: Double
      var count = 1
    }

    /// Handles a fix. Returns whether it is known to be current, rather than delayed or repeated.
    mutating func isCurrent(_ timestamp: Double, at arrival: Double) -> Bool {
      let difference = timestamp - arrival
      if let offset, abs(difference - offset) <= ArrivalOrder.tolerance {
        self.offset = max(offset, difference)
        candidate = nil
        return true
      }
      guard var next = candidate, timestamp > next.last,
        timestamp - next.first.timestamp <= 2 * (arrival - next.first.arrival)
      else {
        candidate = Candidate(first: (timestamp, arrival), last: timestamp)
        return false
      }
      next.count += 1
      next.last = timestamp
      candidate = next
      guard next.count >= ArrivalOrder.advancingFixes else { return false }
      (offset, candidate) = (difference, nil)
      return true
    }
  }

  private var clocks: [SourceClock]
  /// The source and the timestamp of the last delivered location.
  private var last: (source: Int, timestamp: Double)?

  init(sourceCount: Int) { clocks = Array(repeating: SourceClock(), count: sourceCount) }

  /// Observes a fix of any source. Every fix is observed, whether or not its source is in force.
  ///
  /// - Returns: Whether it may be delivered after the last delivered one.
  mutating func follows(_ timestamp: Double, from source: Int, at now: Duration) -> Bool {
    let isCurrent = clocks[source].isCurrent(timestamp, at: ExactSeconds.number(now))
    guard let last, last.source != source, timestamp < last.timestamp else { return true }
    return isCurrent && last.timestamp - timestamp > Self.tolerance
  }

  mutating func delivered(_ timestamp: Double, from source: Int) { last = (source, timestamp) }
}
