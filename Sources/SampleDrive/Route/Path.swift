import Glibc

/// A closed path of straight legs with corners rounded to arcs.
struct Path: Sendable {
  /// A corner of the path, or a point on a straight leg.
  struct Waypoint: Sendable {
    let point: Point
    /// The radius of the corner in metres; 0 where the path does not bend.
    let radius: Double
  }

  /// An arc, or a straight line if its curvature is 0.
  struct Piece: Sendable {
    let start: Point
    /// The heading at the start, in radians clockwise from north.
    let heading: Double
    /// Radians per metre, positive to the right.
    let curvature: Double
    let length: Double
    /// The distance along the path to the start of the piece, in metres.
    let station: Double
    /// The waypoint where the piece starts, or whose corner it rounds.
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

  /// Creates a path from the first waypoint through the others and back to the first. The path must
  /// not bend at the first waypoint, and the arcs must fit on the legs.
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

  /// The point and heading (radians) at a distance in metres along the path.
  func position(at station: Double) -> (point: Point, heading: Double) {
    let piece = pieces.last { $0.station <= station } ?? pieces[0]
    return piece.position(at: min(station - piece.station, piece.length))
  }

  /// The distance along the path, in metres, of a point on the straight piece of a leg, given its
  /// distance from the leg's waypoint.
  func station(leg: Int, distance: Double) -> Double {
    let straight = pieces.first { $0.leg == leg && $0.curvature == 0 } ?? pieces[0]
    return straight.station + distance - waypoints[leg].point.distance(to: straight.start)
  }
}
