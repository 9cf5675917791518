import AsyncLocation
import FoundationEssentials
import Glibc
import MockBackend

/// The position errors of a receiver.
package struct ReceiverErrors: Sendable {
  /// Displacements that begin at random times, such as those caused by multipath.
  package struct Jumps: Sendable {
    /// The mean number of jumps per hour.
    package let perHour: Double
    /// Metres, in a random direction.
    package let distance: Double
    /// The mean duration in seconds, exponentially distributed; 0 for a single fix.
    package let duration: Double

    package init(perHour: Double, distance: Double = 250, duration: Double) {
      (self.perHour, self.distance, self.duration) = (perHour, distance, duration)
    }
  }

  /// The standard deviation along each axis, in metres.
  package let deviation: Double
  /// The seconds in which the autocorrelation of the error falls to 1/e; 0 for white noise.
  package let correlation: Double
  /// The accuracy that the receiver reports, in metres.
  package let accuracy: Double
  package let jumps: Jumps?

  package init(
    deviation: Double, correlation: Double, accuracy: Double, jumps: Jumps? = nil
  ) {
    self.deviation = deviation
    self.correlation = correlation
    self.accuracy = accuracy
    self.jumps = jumps
  }

  /// Creates errors of which a share is within the reported accuracy. The errors are normally
  /// distributed in two dimensions, so the distances from the true position have a Rayleigh
  /// distribution.
  package init(
    accuracy: Double, holding share: Double, correlation: Double, jumps: Jumps? = nil
  ) {
    self.init(
      deviation: accuracy / (-2 * log(1 - share)).squareRoot(), correlation: correlation,
      accuracy: accuracy, jumps: jumps)
  }
}

/// An offset in metres from a point on the equator.
package struct Place: Sendable, Hashable {
  package var east: Double
  package var north: Double

  package init(east: Double = 0, north: Double = 0) { (self.east, self.north) = (east, north) }

  /// The coordinate, accurate to about a centimetre within 10 km. Uses the lengths of a degree at
  /// the equator, WGS 84.
  var coordinate: Coordinate {
    try! Coordinate(latitude: north / 110_574.3, longitude: east / 111_319.5)
  }
}

/// Generates the fixes of a receiver with a known position.
struct SimulatedReceiver: Sendable {
  private let errors: ReceiverErrors
  /// Seconds between fixes.
  private let interval: Double
  private var random: SplitMix64
  /// The error in standard deviations, and the fraction of the error that remains after an
  /// interval.
  private var error: (east: Double, north: Double)
  private let memory: Double
  private var jump: (end: Double, by: Place)?

  init(_ errors: ReceiverErrors, interval: Double, seed: UInt64) {
    self.errors = errors
    self.interval = interval
    random = SplitMix64(seed: seed)
    error = PositionNoise.normalPair(using: &random)
    memory = errors.correlation > 0 ? exp(-interval / errors.correlation) : 0
  }

  /// Returns the next fix.
  ///
  /// - Parameter second: The seconds since the first fix.
  mutating func fix(at place: Place, _ second: Double) -> Location {
    let innovation = (1 - memory * memory).squareRoot()
    let (east, north) = PositionNoise.normalPair(using: &random)
    error = (
      error.east * memory + east * innovation, error.north * memory + north * innovation
    )
    updateJump(second)
    let jump = jump?.by ?? Place()
    let seen = Place(
      east: place.east + error.east * errors.deviation + jump.east,
      north: place.north + error.north * errors.deviation + jump.north)
    return try! Location(
      coordinate: seen.coordinate, timestamp: Date(timeIntervalSinceReferenceDate: second),
      horizontalAccuracy: errors.accuracy)
  }

  /// Ends the current jump when its time is over, and begins jumps at random.
  private mutating func updateJump(_ second: Double) {
    guard let jumps = errors.jumps else { return }
    if let jump, second >= jump.end { self.jump = nil }
    guard jump == nil, random.share() < jumps.perHour * interval / 3_600 else { return }
    let angle = 2 * Double.pi * random.share()
    let duration = -jumps.duration * log(1 - random.share())
    jump = (
      second + max(interval, duration),
      Place(east: jumps.distance * cos(angle), north: jumps.distance * sin(angle))
    )
  }
}

extension SplitMix64 {
  /// Returns a number in `0..<1`.
  mutating func share() -> Double { .random(in: 0..<1, using: &self) }
}
