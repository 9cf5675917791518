import FoundationEssentials

/// The locations of one stay at a place, in constant memory.
///
/// Durations come from arrivals on the manager's monotonic clock, dates from timestamps. When the
/// timestamps jump, all dates follow one clock setting: that of most locations before the stay was
/// established, or, if the arrival is unknown, that of most locations of the whole stay.
struct PlaceStay: Sendable {
  /// Seconds by which timestamps may go back, or advance beyond ``highestRate``, without a change
  /// of the clock setting: the delay of a slow source.
  static let tolerance = 60.0
  /// The factor by which timestamps may advance faster than arrivals: the rate of a fast replay.
  static let highestRate = 100.0
  /// Metres per second, and metres per second squared: the speed at which a departing car may drive
  /// through the place, and an acceleration that no car exceeds.
  static let departure = (speed: 30.0, acceleration: 5.0)

  /// The position of the first location.
  private let first: Coordinate
  private let start: Duration
  private let isArrivalKnown: Bool
  private var latest: Duration
  private var latestPlace: (coordinate: Coordinate, accuracy: Double)
  private var mean: MeanPosition
  /// The timestamps of the first and the latest location in seconds from 2001-01-01.
  private let firstTimestamp: Double
  private var latestTimestamp: Double
  /// Seconds by which the receiver's clock has been set since the first location.
  private var shift = 0.0
  /// The shift that most locations have, by the majority vote of Boyer and Moore.
  private var vote = (shift: 0.0, count: 1)
  /// The shift of the arrival's date; nil before the stay is established.
  private var arrivalShift: Double?

  /// Begins a stay at a location.
  ///
  /// - Parameter isArrivalKnown: False if the receiver may have been there before.
  init(_ location: borrowing Location, at instant: Duration, isArrivalKnown: Bool) {
    first = location.coordinate
    (start, latest) = (instant, instant)
    latestPlace = (location.coordinate, location.horizontalAccuracy ?? 0)
    firstTimestamp = location.timestampSeconds
    latestTimestamp = firstTimestamp
    mean = MeanPosition(location)
    self.isArrivalKnown = isArrivalKnown
  }

  var isEstablished: Bool { arrivalShift != nil }

  /// The time from the first location to the latest.
  var duration: Duration { latest - start }

  /// Whether a location may be at the place, given its accuracy. The place of an established stay
  /// is larger, so that noise does not end the stay.
  func contains(_ location: borrowing Location, radius: Double) -> Bool {
    let (center, reach) = isEstablished ? (mean.coordinate, radius * 1.5) : (first, radius)
    let distance = center.distance(to: location.coordinate)
    return distance - (location.horizontalAccuracy ?? 0) <= reach
  }

  /// Whether the receiver could have moved to a location since the latest one of the stay.
  func reaches(_ location: borrowing Location, at instant: Duration) -> Bool {
    // Delayed locations arrive together, but their timestamps show the interval.
    let elapsed = max(
      0, ExactSeconds.number(instant - latest), location.timestampSeconds - latestTimestamp)
    let distance =
      latestPlace.coordinate.distance(to: location.coordinate) - latestPlace.accuracy
      - (location.horizontalAccuracy ?? 0)
    let (speed, acceleration) = Self.departure
    return distance <= speed * elapsed + acceleration / 2 * elapsed * elapsed
  }

  mutating func add(_ location: borrowing Location, at instant: Duration) {
    let elapsed = ExactSeconds.number(instant - latest)
    let step = location.timestampSeconds - latestTimestamp
    if step < -Self.tolerance || step > Self.tolerance + Self.highestRate * elapsed {
      shift += step - elapsed
    }
    if abs(shift - vote.shift) <= Self.tolerance {
      vote.count += 1
    } else if vote.count > 0 {
      vote.count -= 1
    } else {
      vote = (shift, 1)
    }
    (latest, latestTimestamp) = (instant, location.timestampSeconds)
    latestPlace = (location.coordinate, location.horizontalAccuracy ?? 0)
    mean.add(location)
  }

  /// Establishes the stay and returns its visit, without a departure.
  mutating func establish() -> Visit {
    arrivalShift = vote.shift
    return visit(departure: nil)
  }

  /// Returns the visit of an established stay that has ended.
  func ended() -> Visit {
    // Both dates of a visit follow the same clock setting.
    let reference = isArrivalKnown ? arrivalShift ?? 0 : vote.shift
    let departure = Self.date(latestTimestamp, shiftedBy: reference - shift)
    return visit(departure: arrival.map { max($0, departure) } ?? departure)
  }

  private func visit(departure: Date?) -> Visit {
    Visit(
      checked: mean.coordinate, horizontalAccuracy: mean.accuracy, arrival: arrival,
      departure: departure)
  }

  private var arrival: Date? {
    guard isArrivalKnown, let arrivalShift else { return nil }
    return Self.date(firstTimestamp, shiftedBy: arrivalShift)
  }

  private static func date(_ timestamp: Double, shiftedBy shift: Double) -> Date {
    let shift = abs(shift) <= tolerance ? 0 : shift  // Delayed, but the clock was not set.
    return Timestamp.nearest(Date(timeIntervalSinceReferenceDate: timestamp + shift))
  }
}
