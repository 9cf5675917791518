import MockBackend

/// Where a vehicle is at each second of its movement, in metres from an origin.
struct VehiclePath: Sendable {
  /// A position at a time in seconds from the start of the day.
  struct Knot: Sendable {
    var seconds: Double
    var place: Place
    /// Metres per second.
    var speed: Double
  }

  /// How well a receiver works.
  enum Reception: Sendable {
    case open, urban, poor
    case none
  }

  /// Moves evenly from knot to knot; rests after the last one.
  private(set) var knots: [Knot]
  /// The reception from a time on, in the order of the times.
  private(set) var receptions: [(since: Double, reception: Reception)] = [(0, .open)]
  /// Metres since the start of the day.
  private(set) var length = 0.0

  init() { knots = [Knot(seconds: 0, place: Place(), speed: 0)] }

  var end: Knot { knots[knots.count - 1] }

  mutating func receive(_ reception: Reception, since seconds: Double? = nil) {
    let seconds = seconds ?? end.seconds
    receptions.removeAll { $0.since >= seconds && $0.since > 0 }
    receptions.append((seconds, reception))
  }

  /// Stands for some seconds.
  mutating func stand(_ seconds: Double) {
    guard seconds > 0 else { return }
    let here = end.place
    if end.speed > 0 { knots.append(Knot(seconds: end.seconds + 0.5, place: here, speed: 0)) }
    knots.append(Knot(seconds: end.seconds + seconds, place: here, speed: 0))
  }

  /// Drives along a straight line, and accelerates and brakes in steps of a second.
  ///
  /// - Parameter leaving: The speed at the end of the line.
  mutating func drive(to target: Place, at cruise: Double, leaving: Double) {
    let start = end.place
    let (east, north) = (target.east - start.east, target.north - start.north)
    let total = (east * east + north * north).squareRoot()
    guard total > 0.5 else { return }
    var (covered, speed) = (0.0, end.speed)
    let acceleration = 1.8
    while covered < total {
      let braking = max(0, speed * speed - leaving * leaving) / (2 * acceleration)
      let wanted = total - covered <= braking + speed ? max(leaving, 1) : cruise
      speed += min(max(wanted - speed, -2.5), acceleration)
      speed = max(speed, 0.5)
      let step = min(speed, total - covered)
      covered += step
      length += step
      let share = covered / total
      knots.append(
        Knot(
          seconds: end.seconds + step / speed,
          place: Place(east: start.east + east * share, north: start.north + north * share),
          speed: speed))
    }
  }
}

/// Reads a path in the order of time.
struct VehiclePathReader: Sendable {
  private let path: VehiclePath
  private var index = 0
  private var receptionIndex = 0

  init(_ path: VehiclePath) { self.path = path }

  /// The position and speed at a time that is not before the previous one.
  mutating func state(at seconds: Double) -> (place: Place, speed: Double) {
    let knots = path.knots
    while index + 1 < knots.count, knots[index + 1].seconds <= seconds { index += 1 }
    guard index + 1 < knots.count else { return (knots[index].place, 0) }
    let (from, to) = (knots[index], knots[index + 1])
    let share = (seconds - from.seconds) / (to.seconds - from.seconds)
    let place = Place(
      east: from.place.east + (to.place.east - from.place.east) * share,
      north: from.place.north + (to.place.north - from.place.north) * share)
    let isMoving = from.place != to.place
    return (place, isMoving ? from.speed + (to.speed - from.speed) * share : 0)
  }

  /// The reception at a time that is not before the previous one.
  mutating func reception(at seconds: Double) -> VehiclePath.Reception {
    let receptions = path.receptions
    while receptionIndex + 1 < receptions.count, receptions[receptionIndex + 1].since <= seconds {
      receptionIndex += 1
    }
    return receptions[receptionIndex].reception
  }
}
