import AsyncLocation
import FoundationEssentials

/// Detects the rests of a track despite wandering positions, and computes the travel without
/// rests. Pure, and of constant size.
///
/// During a rest, the positions stay within a radius for so long that a moving receiver would have
/// left it. This is known only later: when a stay becomes a rest, the travel since its start is
/// removed. A rest continues while one or two positions in a row are farther away, and ends with
/// the third. While the receiver reports movement, each position counts as one that is farther
/// away.
struct RestDetector: Sendable, Hashable {
  /// The least duration of a rest, in seconds.
  static let dwell = 60.0
  /// The radius of a rest as a fraction of the distance travelled at the moving speed in ``dwell``:
  /// 25 m of 34 m.
  static let share = 0.75
  /// The factor by which the radius for leaving a rest exceeds that for resting.
  static let slack = 1.5
  /// The limit in metres for the accuracy as a radius.
  static let longestRadius = 100.0
  /// The number of successive positions outside the radius that end a rest.
  static let strayCount = 3
  /// The maximum number of positions whose mean is the center of a stay before it becomes a rest.
  static let anchorCount = 5

  /// A stay that is a rest, or may become one.
  private struct Stay: Hashable {
    let start: Date
    /// The travel at the start of the stay.
    let before: Travel
    private var mean: MeanPosition
    private var count = 1
    private(set) var center: Coordinate
    /// The largest radius that any of its positions had, in metres.
    private(set) var radius: Double
    var isRest = false
    /// The distance according to the receiver's speeds, and the seconds for which it reports
    /// speeds.
    private var (reportedMetres, reportedSeconds) = (0.0, 0.0)
    /// The reported speed over about the last ``dwell``, in metres per second.
    private(set) var recentSpeed = 0.0

    init(_ location: Location, _ travel: Travel, radius: Double) {
      (start, before, self.radius) = (location.timestamp, travel, radius)
      (mean, center) = (MeanPosition(location), location.coordinate)
    }

    /// The mean speed that the receiver reports; nil if it reports none.
    var meanSpeed: Double? { reportedSeconds > 0 ? reportedMetres / reportedSeconds : nil }

    /// Adds a step whose end belongs to the stay.
    ///
    /// - Parameter radius: The radius for the end of the step, in metres.
    mutating func add(_ step: TrackStep, radius: Double) {
      let location = step.end
      addReported(location.speed, for: step.time / .seconds(1))
      self.radius = max(self.radius, radius)
      mean.add(location)
      count += 1
      // Before a rest, the mean of more positions would follow a slow track.
      if isRest || count <= RestDetector.anchorCount { center = mean.coordinate }
    }

    private mutating func addReported(_ speed: Double?, for seconds: Double) {
      guard let speed else { return }
      reportedMetres += speed * seconds
      reportedSeconds += seconds
      recentSpeed += (speed - recentSpeed) * min(1, seconds / RestDetector.dwell)
    }
  }

  /// The travel of the track so far. It decreases when a stay becomes a rest.
  private(set) var travel: Travel
  private let movingSpeed: Double
  private var stay: Stay?
  /// A possible stay outside ``stay``, which may replace it.
  private var next: Stay?
  /// The number of successive positions outside ``stay``.
  private var strays = 0

  init(_ options: TrackStatistics.Options) {
    travel = Travel(altitudeHysteresis: options.altitudeHysteresis)
    movingSpeed = options.movingSpeed
  }

  /// Begins a segment, with a stay at its first location.
  mutating func beginSegment(at location: Location) {
    travel.beginSegment(at: location.altitude)
    (next, strays) = (nil, 0)
    stay = stay(at: location)
  }

  /// Adds a step of the segment.
  mutating func add(_ step: TrackStep) {
    let location = step.end
    // Times that are not the receiver's are no evidence of rests.
    guard var stay, location.sourceInformation?.timeSource != .host else { return travel.add(step) }
    guard isWithin(location, stay) else {
      travel.add(step)
      addStray(step)
      return
    }
    (next, strays) = (nil, 0)
    stay.add(step, radius: radius(location))
    if !stay.isRest { stay.isRest = lastsLongEnough(stay, until: location.timestamp) }
    if stay.isRest { travel = stay.before } else { travel.add(step) }
    self.stay = stay
  }

  /// Adds a step that ends outside ``stay``. The third in a row replaces the stay.
  private mutating func addStray(_ step: TrackStep) {
    let location = step.end
    strays += 1
    if var next, isWithin(location, next) {
      next.add(step, radius: radius(location))
      self.next = next
    } else {
      next = stay(at: location)
    }
    if strays == Self.strayCount { (stay, next, strays) = (next, nil, 0) }
  }

  /// Whether a stay is a rest: it lasts for ``dwell``, or proportionally longer with a larger
  /// radius, and the receiver does not report movement.
  private func lastsLongEnough(_ stay: Stay, until end: Date) -> Bool {
    guard stay.meanSpeed ?? 0 < movingSpeed else { return false }
    let time = CivilTime.duration(from: stay.start, to: end) / .seconds(1)
    return time >= Self.dwell * stay.radius / leastRadius
  }

  /// Whether a location belongs to a stay: it is near enough and, during a rest, the receiver does
  /// not report movement.
  private func isWithin(_ location: Location, _ stay: Stay) -> Bool {
    if stay.isRest, stay.recentSpeed >= 2 * movingSpeed { return false }
    let limit = max(stay.radius, radius(location)) * (stay.isRest ? Self.slack : 1)
    return stay.center.distance(to: location.coordinate) <= limit
  }

  private func stay(at location: Location) -> Stay {
    Stay(location, travel, radius: radius(location))
  }

  /// The radius of a stay with accurate positions, in metres.
  private var leastRadius: Double { movingSpeed * Self.dwell * Self.share }

  /// The radius for a location: its accuracy, within limits, in metres.
  private func radius(_ location: Location) -> Double {
    max(leastRadius, min(location.horizontalAccuracy ?? 0, Self.longestRadius))
  }
}
