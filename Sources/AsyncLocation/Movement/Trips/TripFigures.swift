/// The numbers of a trip up to one of its locations. Of constant size.
struct TripFigures: Sendable {
  /// Metres. Shorter steps are not counted one by one, because the errors of positions would add
  /// up; a less accurate position requires a longer step.
  static let leastStep = 20.0
  /// The limit in metres for the accuracy as the length of a step.
  static let longestStep = 100.0
  /// The least seconds between two positions from which a speed is derived: in a shorter time, their
  /// errors outweigh the movement.
  private static let speedInterval = 1.0

  /// Metres along the ellipsoid.
  private(set) var distance = 0.0
  private(set) var locationCount = 0
  /// Seconds of the complete stops that are not listed.
  var unlistedStopSeconds = 0.0
  private(set) var peak = SpeedPeak()
  /// The position up to which the distance is counted.
  private var counted: Coordinate
  /// The location from which the next speed is derived; nil if it is the latest one.
  private var speedStart: TripFix?

  init(at coordinate: Coordinate) { counted = coordinate }

  /// Adds a location that follows another one.
  mutating func add(_ fix: TripFix, after last: TripFix) {
    locationCount += 1
    let step = counted.distance(to: fix.coordinate)
    if step >= max(Self.leastStep, min(fix.accuracy, Self.longestStep)) {
      distance += step
      counted = fix.coordinate
    }
    addSpeed(fix, after: last)
  }

  private mutating func addSpeed(_ fix: TripFix, after last: TripFix) {
    let start = exchange(&speedStart, with: nil) ?? last
    let interval = fix.seconds - start.seconds
    if let speed = fix.speed {
      peak.add(reported: speed)
    } else if !fix.isReachable(from: start) {
      peak.beginSegment()
    } else if interval < Self.speedInterval {
      speedStart = start
    } else {
      peak.add(derived: start.coordinate.distance(to: fix.coordinate) / interval)
    }
  }

  /// Continues after positions that may be wrong. The straight way counts only if the vehicle can
  /// have driven it since the latest location that was used.
  mutating func jump(to fix: TripFix, isReachable: Bool) {
    locationCount += 1
    if isReachable { distance += counted.distance(to: fix.coordinate) }
    counted = fix.coordinate
    speedStart = nil
    peak.beginSegment()
  }
}
