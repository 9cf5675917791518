import Glibc

/// A fictional round trip on the Patagonian steppe: a village, a highway, and a ridge with a
/// tunnel.
///
/// The roads do not exist. Latitude and longitude are negative, to test their signs.
struct Route: Sendable {
  /// A point where the car waits.
  struct Stop: Sendable {
    let station: Double
    /// The waiting time in seconds.
    let wait: Double
  }

  /// A section with its own speed limit.
  struct Limit: Sendable {
    let range: Range<Double>
    /// Metres per second.
    let speed: Double
  }

  /// The speed limits in metres per second.
  static let village = 13.4
  static let highway = 22.0

  let frame = LocalFrame(latitude: -46.915, longitude: -69.635, height: 424)
  let path: Path
  let limits: [Limit]
  let stops: [Stop]
  /// The section without satellite reception.
  let tunnel: Range<Double>
  private let elevations: [(station: Double, altitude: Double)]

  /// The seconds that the car is parked at the start.
  let initialWait = 18.0

  init() {
    // Metres east and north, the radius of the corner, and the speed limit on the following leg.
    let legs: [(east: Double, north: Double, radius: Double, limit: Double)] = [
      (0, 0, 0, Self.village), (420, 0, 12, Self.village), (420, 520, 14, Self.village),
      (820, 520, 220, Self.highway), (1180, 780, 260, Self.highway), (2420, 780, 55, Self.highway),
      (2420, -320, 35, Self.highway), (1280, -320, 320, Self.highway),
      (640, -140, 160, Self.village), (-210, -140, 12, Self.village), (-210, 0, 10, Self.village),
    ]
    let path = Path(
      legs.map { .init(point: Point(east: $0.east, north: $0.north), radius: $0.radius) })
    let lateralAcceleration = 2.0
    limits = path.pieces.map { piece in
      let limit = legs[piece.leg].limit
      let corneringSpeed =
        piece.curvature == 0
        ? limit : (lateralAcceleration / abs(piece.curvature)).squareRoot()
      return Limit(
        range: piece.station..<piece.station + piece.length, speed: min(limit, corneringSpeed))
    }
    stops = [
      Stop(station: path.station(leg: 1, distance: 250), wait: 22),
      Stop(station: path.station(leg: 2, distance: 210), wait: 9),
      Stop(station: path.station(leg: 8, distance: 430), wait: 16),
      Stop(station: path.length, wait: 18),
    ]
    tunnel = path.station(leg: 4, distance: 170)..<path.station(leg: 4, distance: 1010)
    elevations = [
      (0, 412), (path.station(leg: 2, distance: 50), 412),
      (path.station(leg: 4, distance: 170), 447), (path.station(leg: 4, distance: 1010), 451),
      (path.station(leg: 6, distance: 150), 408), (path.station(leg: 7, distance: 400), 405),
      (path.length, 412),
    ]
    self.path = path
  }

  /// The altitude in metres above mean sea level, and the slope (rise over run).
  func altitude(at station: Double) -> (altitude: Double, slope: Double) {
    guard let next = elevations.firstIndex(where: { $0.station > station }), next > 0 else {
      return (elevations[station < 0 ? 0 : elevations.count - 1].altitude, 0)
    }
    let (from, to) = (elevations[next - 1], elevations[next])
    let length = to.station - from.station
    let phase = (station - from.station) / length * .pi
    let rise = to.altitude - from.altitude
    return (
      from.altitude + rise * (1 - cos(phase)) / 2,
      rise * sin(phase) / 2 * .pi / length
    )
  }
}
