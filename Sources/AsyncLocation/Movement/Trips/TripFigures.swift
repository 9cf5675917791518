/// The numbers of a trip up to one of its locations. Of constant size.
struct TripFigures: Sendable {
  /// Metres. Shorter steps are not counted one by one, because the errors of positions would add
  /// up; a less accurate position requires a longer step.
  static let leastStep = 20.0
  /// The limit in metres for the accuracy as the length of a step.
  static let longestStep = 100.0

  /// Metres along the ellipsoid.
  private(set) var distance = 0.0
  private(set) var locationCount = 0
  /// Seconds of the complete stops.
  var stoppedSeconds = 0.0
  /// The number of complete stops that are listed.
  var stopCount = 0
  private(set) var peak = SpeedPeak()
  /// The position up to which the distance is counted.
  private var counted: Coordinate

  init(at coordinate: Coordinate) { counted = coordinate }

  /// Adds a location that follows another one.
  mutating func add(_ fix: TripFix, after last: TripFix) {
    locationCount += 1
    let step = counted.distance(to: fix.coordinate)
    if step >= max(Self.leastStep, min(fix.accuracy, Self.longestStep)) {
      distance += step
      counted = fix.coordinate
    }
    if let speed = fix.speed {
      peak.add(reported: speed)
    } else {
      peak.add(
        derived: last.coordinate.distance(to: fix.coordinate) / (fix.seconds - last.seconds))
    }
  }

  /// Continues at a position to which the vehicle cannot have driven: the way there does not count.
  mutating func jump(to fix: TripFix) {
    locationCount += 1
    counted = fix.coordinate
    peak.beginSegment()
  }
}
