import FoundationEssentials

/// The locations of one stay at a place, in constant memory.
///
/// Durations come from arrivals on the manager's monotonic clock, dates from timestamps. Timestamps
/// may jump, so a date that disagrees with most other timestamps of the stay, or with the duration
/// since the arrival, is replaced by the one that agrees.
struct PlaceStay: Sendable {
  /// Seconds by which timestamps may disagree with arrivals: the delay of a slow source.
  static let tolerance = 60.0
  /// The fraction of a duration by which the clocks may drift apart, added to the tolerance.
  static let drift = 0.001

  /// A location's arrival, and its timestamp in seconds from 2001-01-01.
  private struct Moment: Sendable {
    let instant: Duration
    let timestamp: Double

    func elapsed(since earlier: Self) -> Double {
      ExactSeconds.number(instant - earlier.instant)
    }

    var date: Date { Timestamp.nearest(Date(timeIntervalSinceReferenceDate: timestamp)) }
  }

  /// The position of the first location.
  private let first: Coordinate
  private let start: Moment
  private let isArrivalKnown: Bool
  private var latest: Moment
  private var mean: MeanPosition
  /// A location whose timestamp the majority agrees with, by the majority vote of Boyer and Moore.
  private var vote: (moment: Moment, count: Int)
  /// The arrival that was reported when the stay was established.
  private var arrival: Moment?

  /// Begins a stay at a location.
  ///
  /// - Parameter isArrivalKnown: False if the receiver may have been there before.
  init(_ location: borrowing Location, at instant: Duration, isArrivalKnown: Bool) {
    first = location.coordinate
    start = Moment(instant: instant, timestamp: location.timestampSeconds)
    latest = start
    vote = (start, 1)
    mean = MeanPosition(location)
    self.isArrivalKnown = isArrivalKnown
  }

  var isEstablished: Bool { arrival != nil }

  /// The time from the first location to the latest.
  var duration: Duration { latest.instant - start.instant }

  /// Whether a location may be at the place, given its accuracy.
  func contains(_ location: borrowing Location, radius: Double) -> Bool {
    let (center, reach) = isEstablished ? (mean.coordinate, radius * 1.5) : (first, radius)
    let distance = center.distance(to: location.coordinate)
    return distance - (location.horizontalAccuracy ?? 0) <= reach
  }

  mutating func add(_ location: borrowing Location, at instant: Duration) {
    latest = Moment(instant: instant, timestamp: location.timestampSeconds)
    mean.add(location)
    if Self.agree(latest, vote.moment) {
      vote = (latest, vote.count + 1)  // The newer one, since clocks drift.
    } else if vote.count > 0 {
      vote.count -= 1
    } else {
      vote = (latest, 1)
    }
  }

  /// The visit when the stay is established.
  mutating func establish() -> Visit {
    let arrival = dated(start, by: vote.moment)
    self.arrival = arrival
    return visit(departure: nil)
  }

  /// The visit when an established stay has ended.
  func ended() -> Visit {
    let reference = isArrivalKnown ? arrival ?? start : vote.moment
    return visit(departure: dated(latest, by: reference).date)
  }

  private func visit(departure: Date?) -> Visit {
    Visit(
      checked: mean.coordinate, horizontalAccuracy: mean.accuracy,
      arrival: isArrivalKnown ? arrival?.date : nil, departure: departure)
  }

  /// A moment with its own timestamp if that agrees with a reference, otherwise with the timestamp
  /// that follows from the reference.
  private func dated(_ moment: Moment, by reference: Moment) -> Moment {
    guard !Self.agree(moment, reference) else { return moment }
    return Moment(
      instant: moment.instant,
      timestamp: reference.timestamp + moment.elapsed(since: reference))
  }

  private static func agree(_ one: Moment, _ other: Moment) -> Bool {
    let elapsed = one.elapsed(since: other)
    return abs(one.timestamp - other.timestamp - elapsed) <= tolerance + drift * abs(elapsed)
  }
}
