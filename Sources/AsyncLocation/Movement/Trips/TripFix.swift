/// The values of a location that decide about trips.
struct TripFix: Sendable, Hashable {
  /// Metres per second that no vehicle exceeds between two positions.
  static let highestSpeed = 100.0
  /// Seconds by which the true interval between two fixes may exceed the measured one.
  static let slack = 1.0
  /// Metres per second; a receiver that reports this speed is moving, a slower one may be at rest.
  static let movingSpeed = 2.5
  /// Seconds for which two reported speeds limit the distance between their positions.
  static let reportedSpan = 15.0
  /// The reported speed may be late while a vehicle accelerates: the factor, and the metres per
  /// second, by which the true one may exceed it.
  static let reportedExcess = (factor: 1.5, speed: 5.0)

  /// Metres by which each of two positions may be wrong, whatever their accuracies are.
  static let leastError = 20.0

  let coordinate: Coordinate
  /// Metres; nil if unknown.
  let horizontalAccuracy: Double?
  /// The timestamp in seconds from 2001-01-01.
  let seconds: Double
  /// The speed that the receiver reports, in metres per second; nil if it has reported only zeros.
  let speed: Double?
  private let speedAccuracy: Double

  /// - Parameter trustsZero: Whether a reported speed of 0 is evidence. A source that does not know
  ///   the speed may always report it.
  init(_ location: borrowing Location, trustsZero: Bool) {
    coordinate = location.coordinate
    horizontalAccuracy = location.horizontalAccuracy
    seconds = location.timestampSeconds
    speed = location.speed == 0 && !trustsZero ? nil : location.speed
    speedAccuracy = location.speedAccuracy ?? 0
  }

  /// Metres by which the position may be wrong; 0 if unknown.
  var accuracy: Double { horizontalAccuracy ?? 0 }

  /// Whether the receiver reports movement.
  var isMoving: Bool {
    guard let speed else { return false }
    return speed >= Self.movingSpeed && speed > 2 * speedAccuracy
  }

  /// Whether a vehicle could have moved here from an earlier fix.
  func isReachable(from earlier: Self) -> Bool {
    let elapsed = seconds - earlier.seconds
    var limit = Self.highestSpeed
    if elapsed <= Self.reportedSpan, let speed, let earlierSpeed = earlier.speed {
      let (factor, excess) = Self.reportedExcess
      limit = min(limit, max(speed, earlierSpeed) * factor + excess)
    }
    let errors = max(Self.leastError, earlier.accuracy) + max(Self.leastError, accuracy)
    return earlier.coordinate.distance(to: coordinate) - errors <= limit * (elapsed + Self.slack)
  }
}
