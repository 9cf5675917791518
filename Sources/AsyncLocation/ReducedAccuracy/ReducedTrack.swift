import FoundationEssentials

/// The reduced values of one receiver: chosen at the first fix of a time step and repeated for
/// every other fix in it.
struct ReducedTrack: Sendable {
  /// The cell's centre and the other numbers.
  private struct Values: Sendable {
    let coordinate: Coordinate
    let altitude: Double?
    let ellipsoidalAltitude: Double?
    let horizontalAccuracy: Double?
    let verticalAccuracy: Double?
    let speed: Double?
    let speedAccuracy: Double?
    let course: Double?
    let courseAccuracy: Double?
    let climb: Double?
  }

  private var choice: CellChoice?
  /// Both altitudes share one step. Their difference depends on the place, so separate steps would
  /// reveal more about it.
  private var altitude = SteadyStep(LocationReducer.altitudeStep)
  private var speed = SteadyStep(LocationReducer.speedStep)
  private var course = SteadyStep(LocationReducer.courseStep, period: 360)
  private var climb = SteadyStep(LocationReducer.climbStep)
  private var values: Values?
  /// The current time step of each clock. If the clocks differ, a shared one would change at every
  /// fix.
  private var receiverTime: Date?
  private var hostTime: Date?

  mutating func reduce(_ location: Location, in grid: ReducedGrid) -> Location {
    let source = location.sourceInformation
    let time = Self.cut(location.timestamp)
    let isHost = source?.timeSource == .host
    let isNew = time != (isHost ? hostTime : receiverTime)
    if isHost { hostTime = time } else { receiverTime = time }
    var values: Values
    if let chosen = self.values, !isNew {
      values = chosen
    } else {
      values = choose(location, in: grid)
      self.values = values
    }
    var reduced = Self.location(values, time, source)
    reduced.arrival = location.arrival
    return reduced
  }

  /// Rounds a time down to the start of its step.
  private static func cut(_ timestamp: Date) -> Date {
    let step = LocationReducer.timeStep
    return Date(
      timeIntervalSinceReferenceDate: (timestamp.timeIntervalSinceReferenceDate / step).rounded(
        .down) * step)
  }

  private mutating func choose(_ location: Location, in grid: ReducedGrid) -> Values {
    let position = SurfaceNormal(location.coordinate)
    choice?.follow(position, in: grid)
    let choice = choice ?? CellChoice(position, in: grid)
    self.choice = choice
    let height = (location.altitude ?? location.ellipsoidalAltitude).map { altitude.round($0) }
    return Values(
      coordinate: choice.cell.coordinate,
      altitude: location.altitude.flatMap { _ in height },
      ellipsoidalAltitude: location.ellipsoidalAltitude.flatMap { _ in height },
      horizontalAccuracy: location.horizontalAccuracy.map {
        Self.radius(
          LocationReducer.horizontalAccuracy, covering: ReducedGrid.reach + $0, limit: 20_004_000)
      },
      verticalAccuracy: location.verticalAccuracy.map {
        Self.radius(
          LocationReducer.verticalAccuracy,
          covering: altitude.reach + LocationReducer.geoidHeight + $0, limit: 100_020_000)
      },
      speed: location.speed.map { speed.round($0) },
      speedAccuracy: location.speedAccuracy.map {
        Self.radius(LocationReducer.speedStep, covering: speed.reach + $0, limit: 300_000_000)
      },
      course: location.course.map { course.round($0) },
      courseAccuracy: location.courseAccuracy.map {
        min(180, Self.radius(LocationReducer.courseStep, covering: course.reach + $0, limit: 180))
      },
      climb: location.climb.map { climb.round($0) })
  }

  /// Returns the constant, doubled until it covers the accuracy.
  private static func radius(
    _ constant: Double, covering accuracy: Double, limit: Double
  ) -> Double {
    var radius = constant
    while radius < accuracy, radius < limit { radius *= 2 }
    return radius
  }

  private static func location(
    _ values: Values, _ time: Date, _ source: SourceInformation?
  ) -> Location {
    do {
      return try Location(
        coordinate: values.coordinate, timestamp: time, altitude: values.altitude,
        ellipsoidalAltitude: values.ellipsoidalAltitude,
        horizontalAccuracy: values.horizontalAccuracy, verticalAccuracy: values.verticalAccuracy,
        speed: values.speed, speedAccuracy: values.speedAccuracy, course: values.course,
        courseAccuracy: values.courseAccuracy, climb: values.climb, sourceInformation: source)
    } catch {
      // Rounded valid numbers are valid, because the limits of their ranges are multiples of the
      // steps.
      preconditionFailure("A reduced location is valid: \(error)")
    }
  }
}
