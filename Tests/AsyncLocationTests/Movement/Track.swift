import FoundationEssentials

@testable import AsyncLocation

/// Locations along a path in metres, with the seconds at which they arrive.
struct Track: Sendable {
  struct Fix: Sendable {
    var seconds: Double
    var east: Double
    var north: Double
    var accuracy: Double? = 5
    var speed: Double?
    /// The seconds by which the receiver's clock is ahead.
    var clock = 0.0
    var isReduced = false
  }

  var fixes: [Fix] = []
  /// The origin of the path.
  var origin = (latitude: 50.0, longitude: 13.0)

  private var end: (seconds: Double, east: Double, north: Double) {
    fixes.last.map { ($0.seconds, $0.east, $0.north) } ?? (-1, 0, 0)
  }

  /// Adds a location, by default a second after the previous one and at the same place.
  func then(
    _ seconds: Double = 1, east: Double? = nil, north: Double? = nil, accuracy: Double? = 5,
    speed: Double? = nil, clock: Double = 0, isReduced: Bool = false
  ) -> Self {
    var track = self
    track.fixes.append(
      Fix(
        seconds: end.seconds + seconds, east: east ?? end.east, north: north ?? end.north,
        accuracy: accuracy, speed: speed, clock: clock, isReduced: isReduced))
    return track
  }

  /// Adds locations at one place for a time, by default one each second.
  func stay(
    _ seconds: Double, every step: Double = 1, accuracy: Double? = 5, speed: Double? = nil,
    clock: Double = 0, isReduced: Bool = false
  ) -> Self {
    path(
      for: seconds, every: step, accuracy: accuracy, speed: speed, clock: clock,
      isReduced: isReduced
    ) { _ in (0, 0) }
  }

  /// Adds locations along a straight line.
  func move(
    east: Double = 0, north: Double = 0, at speed: Double, clock: Double = 0
  ) -> Self {
    let duration = (Double.hypot(east, north) / speed).rounded(.up)
    return path(for: duration, clock: clock) { (east * $0 / duration, north * $0 / duration) }
  }

  /// Adds locations at offsets from the latest place.
  func path(
    for seconds: Double, every step: Double = 1, accuracy: Double? = 5, speed: Double? = nil,
    clock: Double = 0, isReduced: Bool = false, _ offset: (Double) -> (east: Double, north: Double)
  ) -> Self {
    let (start, east, north) = end
    var track = self
    for elapsed in stride(from: step, through: seconds, by: step) {
      let moved = offset(elapsed)
      track.fixes.append(
        Fix(
          seconds: start + elapsed, east: east + moved.east, north: north + moved.north,
          accuracy: accuracy, speed: speed, clock: clock, isReduced: isReduced))
    }
    return track
  }

  /// Adds a location after a time without locations.
  func gap(_ seconds: Double, east: Double = 0, north: Double = 0) -> Self {
    then(seconds, east: end.east + east, north: end.north + north)
  }

  func at(latitude: Double, longitude: Double) -> Self {
    var track = self
    track.origin = (latitude, longitude)
    return track
  }

  func coordinate(east: Double, north: Double) throws -> Coordinate {
    try Coordinate(latitude: origin.latitude, longitude: origin.longitude).coordinate(
      atDistance: Double.hypot(east, north), bearing: Double.atan2(east, north) * 180 / .pi)
  }

  /// The locations in order, and their arrivals.
  func locations(device: String? = nil) throws -> [(location: Location, instant: Duration)] {
    try fixes.map { fix in
      var location = try Location(
        coordinate: coordinate(east: fix.east, north: fix.north),
        timestamp: Sample.date(fix.seconds + fix.clock), horizontalAccuracy: fix.accuracy,
        speed: fix.speed, sourceInformation: device.map { SourceInformation(device: $0) })
      location.isReduced = fix.isReduced
      return (location, .seconds(1_000) + .milliseconds(Int64((fix.seconds * 1_000).rounded())))
    }
  }
}
