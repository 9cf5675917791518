import FoundationEssentials

/// The reduced values of one receiver: chosen at the first fix of a time step and repeated for
/// every other fix in it.
struct ReducedTrack: Sendable {
  private var cell: ReducedCell?
  /// Both altitudes share one rounded value. Their difference depends on the place, so two values
  /// would reveal more about the place.
  private var altitude = HysteresisRounding(LocationReducer.altitudeStep)
  private var speed = HysteresisRounding(LocationReducer.speedStep)
  private var course = HysteresisRounding(LocationReducer.courseStep, period: 360)
  private var climb = HysteresisRounding(LocationReducer.climbStep)
  /// The location that was chosen last, without its source.
  private var chosen: Location?
  /// The start of the current time step on the receiver's clock. Each clock has its own step: if
  /// the clocks differ, fixes with alternating clocks would change a shared step each time.
  private var receiverTime: Date?
  /// The start of the current time step on the host's clock.
  private var hostTime: Date?

  init() {}

  /// Returns the reduced location for a fix.
  ///
  /// - Parameter cells: The cells that were reported for any receiver.
  mutating func reduce(
    _ location: Location, in grid: ReducedGrid, cells: inout ReportedCells
  ) -> Location {
    if let repeated = repeated(location) { return repeated }
    let time = Self.startOfStep(location.timestamp)
    if location.sourceInformation?.timeSource == .host {
      hostTime = time
    } else {
      receiverTime = time
    }
    let cell = cells.cell(for: SurfaceNormal(location.coordinate), after: self.cell, in: grid)
    self.cell = cell
    let chosen = choose(location, at: time, in: cell, &cells)
    self.chosen = chosen
    return Self.answer(chosen, to: location)
  }

  /// Returns the reduced location of a fix's time step; nil if the fix starts a new step.
  ///
  /// Steps up to ``LocationReducer/longestLag`` before the current one have the same location: if
  /// one of two sources of a receiver lags, their fixes would otherwise start new steps
  /// alternately. An even older fix starts a new step, because the clock was set back. So does a
  /// fix at a place that no vehicle reaches in a time step: it comes from another receiver with the
  /// same name.
  func repeated(_ location: Location) -> Location? {
    let isHost = location.sourceInformation?.timeSource == .host
    guard let chosen, let current = isHost ? hostTime : receiverTime else { return nil }
    let time = Self.startOfStep(location.timestamp)
    guard time <= current, time >= current - LocationReducer.longestLag,
      location.coordinate.distance(to: chosen.coordinate) < LocationReducer.longestMove
    else { return nil }
    return Self.answer(chosen, to: location)
  }

  /// Returns the start of the time step that contains a time.
  private static func startOfStep(_ timestamp: Date) -> Date {
    let step = LocationReducer.timeStep
    return Date(
      timeIntervalSinceReferenceDate: (timestamp.timeIntervalSinceReferenceDate / step).rounded(
        .down) * step)
  }

  private mutating func choose(
    _ location: Location, at time: Date, in cell: ReducedCell, _ cells: inout ReportedCells
  ) -> Location {
    let height = (location.altitude ?? location.ellipsoidalAltitude).map {
      cells.round($0, in: cell, &altitude)
    }
    return Self.valid { () throws(LocationError) in
      try Location(
        coordinate: cell.coordinate, timestamp: time,
        altitude: location.altitude.flatMap { _ in height },
        ellipsoidalAltitude: location.ellipsoidalAltitude.flatMap { _ in height },
        horizontalAccuracy: Self.radius(
          LocationReducer.horizontalAccuracy,
          covering: ReducedGrid.reach + (location.horizontalAccuracy ?? 0), limit: 20_004_000),
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
          min(
            180, Self.radius(LocationReducer.courseStep, covering: course.reach + $0, limit: 180))
        },
        climb: location.climb.map { climb.round($0) })
    }
  }

  /// Returns the constant, doubled until it covers the accuracy or reaches the limit.
  private static func radius(
    _ constant: Double, covering accuracy: Double, limit: Double
  ) -> Double {
    var radius = constant
    while radius < accuracy, radius < limit { radius *= 2 }
    return radius
  }

  /// Returns the chosen location for a fix, with the time step, source and arrival of the fix.
  private static func answer(_ chosen: Location, to fix: Location) -> Location {
    var answer = valid { () throws(LocationError) in
      try chosen.with {
        $0.timestamp = startOfStep(fix.timestamp)
        $0.sourceInformation = fix.sourceInformation
      }
    }
    answer.arrival = fix.arrival
    return answer
  }

  private static func valid(_ make: () throws(LocationError) -> Location) -> Location {
    do {
      return try make()
    } catch {
      // A valid number stays valid when it is rounded, because the limits of its range are
      // multiples of the step.
      preconditionFailure("A reduced location is valid: \(error)")
    }
  }
}

// MARK: - Storing

extension ReducedTrack {
  /// The stored form of a track. It contains the reported values, and nothing more precise.
  struct Stored: Sendable, Codable {
    /// The receiver; nil for one without a name.
    let device: String?
    let location: Location
    let altitude: Double?
    let speed: Double?
    let course: Double?
    let climb: Double?
    let receiverTime: Date?
    let hostTime: Date?
  }

  /// The form to store; nil before the first location.
  func stored(of device: String?) -> Stored? {
    guard let chosen else { return nil }
    return Stored(
      device: device, location: chosen, altitude: altitude.value, speed: speed.value,
      course: course.value, climb: climb.value, receiverTime: receiverTime, hostTime: hostTime)
  }

  /// Creates a track from its stored form. Returns nil for a track of another grid, which was
  /// stored with another key, and for values that no track can have.
  init?(_ stored: Stored, in grid: ReducedGrid) {
    let cell = grid.cell(of: SurfaceNormal(stored.location.coordinate))
    guard cell.coordinate == stored.location.coordinate else { return nil }
    self.init()
    self.cell = cell
    guard altitude.restore(stored.altitude), speed.restore(stored.speed),
      course.restore(stored.course), climb.restore(stored.climb)
    else { return nil }
    chosen = stored.location
    receiverTime = stored.receiverTime
    hostTime = stored.hostTime
  }
}
