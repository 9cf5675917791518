import Glibc

/// A closed line of straight legs whose corners are rounded to arcs.
struct Path: Sendable {
  /// A corner of the line, or a point that it passes straight through.
  struct Waypoint: Sendable {
    let point: Point
    /// Metres; 0 where the line does not bend.
    let radius: Double
  }

  /// An arc, or a straight piece when its curvature is 0.
  struct Piece: Sendable {
    let start: Point
    /// Radians clockwise from north at the start.
    let heading: Double
    /// Radians a metre, positive to the right.
    let curvature: Double
    let length: Double
    /// Metres along the path to the start.
    let station: Double
    /// The waypoint that the piece leaves, or rounds.
    let leg: Int

    func position(at distance: Double) -> (point: Point, heading: Double) {
      let turned = heading + curvature * distance
      guard curvature != 0 else {
        return (
          Point(
            east: start.east + distance * sin(heading),
            north: start.north + distance * cos(heading)),
          heading
        )
      }
      return (
        Point(
          east: start.east + (cos(heading) - cos(turned)) / curvature,
          north: start.north + (sin(turned) - sin(heading)) / curvature),
        turned
      )
    }
  }

  let pieces: [Piece]
  let length: Double
  private let waypoints: [Waypoint]

  /// The path that leaves the first waypoint towards the second and comes back to it at the end.
  /// The first waypoint must not bend; corners must not be wider than the legs between them.
  init(_ waypoints: [Waypoint]) {
    func headingOfLeg(_ index: Int) -> Double {
      waypoints[index].point.bearing(to: waypoints[(index + 1) % waypoints.count].point)
    }
    func turn(at index: Int) -> Double {
      let previous = headingOfLeg((index + waypoints.count - 1) % waypoints.count)
      let change = (headingOfLeg(index) - previous).degrees.normalizedDegrees
      return (change > 180 ? change - 360 : change).radians
    }
    func tangent(at index: Int) -> Double {
      waypoints[index].radius * tan(abs(turn(at: index)) / 2)
    }
    var pieces: [Piece] = []
    var station = 0.0
    var point = waypoints[0].point
    func append(heading: Double, curvature: Double, length: Double, leg: Int) {
      let piece = Piece(
        start: point, heading: heading, curvature: curvature, length: length, station: station,
        leg: leg)
      pieces.append(piece)
      station += length
      point = piece.position(at: length).point
    }
    for index in waypoints.indices {
      let next = (index + 1) % waypoints.count
      let heading = headingOfLeg(index)
      let straight =
        waypoints[index].point.distance(to: waypoints[next].point)
        - tangent(at: index) - tangent(at: next)
      precondition(straight > 0, "corners \(index) and \(next) overlap")
      append(heading: heading, curvature: 0, length: straight, leg: index)
      let (angle, radius) = (turn(at: next), waypoints[next].radius)
      if radius > 0 {
        append(
          heading: heading, curvature: (angle < 0 ? -1 : 1) / radius, length: radius * abs(angle),
          leg: next)
      }
    }
    self.pieces = pieces
    self.waypoints = waypoints
    length = station
  }

  /// Where the path is after a number of metres, and where it heads in radians.
  func position(at station: Double) -> (point: Point, heading: Double) {
    let piece = pieces.last { $0.station <= station } ?? pieces[0]
    return piece.position(at: min(station - piece.station, piece.length))
  }

  /// The metres along the path to a point of a leg's straight piece, given its distance from the
  /// leg's waypoint.
  func station(leg: Int, distance: Double) -> Double {
    let straight = pieces.first { $0.leg == leg && $0.curvature == 0 } ?? pieces[0]
    return straight.station + distance - waypoints[leg].point.distance(to: straight.start)
  }
}
