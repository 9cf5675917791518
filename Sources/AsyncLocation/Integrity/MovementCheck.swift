/// Compares the positions of a receiver with the velocities that it reports.
///
/// The sum of all differences between a step and the movement by the velocities is the departure of
/// the position from the path that the velocities describe. It is compared with its own moving
/// average, so that errors of position and of velocity that change slowly are no evidence.
struct MovementCheck: Sendable {
  /// Metres beyond the accuracies: more than what reflected signals usually cause.
  static let jumpFloor = 50.0
  static let driftFloor = 40.0
  /// Metres by which a position may be wrong when a receiver regains signals, for example because it
  /// continued a straight line in a tunnel.
  static let settlingFloor = 300.0
  /// Seconds until the position is accurate after signals are regained.
  static let settlingTime = 20.0
  /// Seconds between fixes up to which two velocities describe the path between them.
  static let longestStep = 2.5
  /// Seconds by which a velocity may be older than its position, because receivers filter it.
  static let velocityDelay = 1.0
  /// Seconds in which the moving average follows.
  static let memory = 360.0
  /// Metres per second: 1,000 knots.
  static let highestSpeed = 515.0
  /// Metres for a receiver that reports no accuracy.
  static let unknownAccuracy = 30.0
  /// Seconds after which a displaced position is accepted as the new one.
  static let jumpMemory = 300.0
  static let driftMemory = 600.0
  /// Seconds for which fixes with times before the last one are ignored.
  static let longestDelay = 30.0
  /// Degrees. Nearer to the poles, the direction of north changes within a step.
  private static let highestLatitude = 89.0

  private struct Fix: Sendable {
    let coordinate: Coordinate
    /// Metres above the ellipsoid, from 0 to 1,000 km.
    let height: Double
    let accuracy: Double
    let time: Double
    let arrival: Double
    /// Whether the time is by the receiver's clock.
    let isTimed: Bool
    let speed: Double?
    /// The speed if its direction is unknown, or else zero.
    let undirectedSpeed: Double
    /// The velocity to the east and to the north; nil if its direction is unknown.
    let velocity: Vector?

    /// The movement at the height of the fix, which is longer than that on the ellipsoid.
    func movement(from last: Self) -> Vector {
      Vector(from: last.coordinate, to: coordinate).scaled(by: 1 + height / 6_371_000)
    }

    /// Metres by which the position may be behind because the arrival is not its time.
    var delayedDistance: Double {
      isTimed ? 0 : MovementCheck.longestStep * (velocity?.length ?? 0)
    }
  }

  private var last: Fix?
  /// The usual seconds between fixes.
  private var interval = 1.0
  private var settled = 0.0
  private var resolution = VelocityResolution()
  /// The departure and its moving average, in metres.
  private var departure = Vector()
  private var usualDeparture = Vector()
  /// The variance of the departure by errors of velocity, and its moving average.
  private var variance = 0.0
  private var usualVariance = 0.0
  private var usualAccuracy = 0.0
  private var usualVelocity = Vector()
  private var directions = MeanDirections()
  /// Seconds for which the reported speed has been the same, other than zero.
  private var constantTime = 0.0
  private var drift = Suspicion(.init(count: 5, seconds: 5, recovery: 10))
  private var driftStart: Double?
  /// The arrival of the latest jump, and whether it followed a loss of signals.
  private var jump: (arrival: Double, afterLoss: Bool)?
  private var returned = Suspicion(.init(count: 3, seconds: 2, recovery: 0))

  /// The suspicions about the last fix.
  var reasons: LocationIntegrity.Reasons {
    if jump != nil { return .jump }
    return drift.isRaised ? .drift : []
  }

  /// Discards what is known, since the times are no longer comparable.
  mutating func reset() { self = Self() }

  /// Handles a fix. Times are seconds.
  ///
  /// - Parameter time: The time by the receiver's clock; nil if it is unknown.
  mutating func locate(_ location: borrowing Location, time: Double?, arrival: Double) {
    expire(arrival)
    resolution.observe(location)
    // The next certain position is compared with the last one, as after a gap.
    guard !location.gnss.isUncertain else { return }
    let aboveSea = location.altitude ?? 0
    let altitude = location.ellipsoidalAltitude ?? aboveSea
    let fix = Fix(
      coordinate: location.coordinate,
      height: min(max(0, altitude), 1e6),
      accuracy: location.horizontalAccuracy ?? Self.unknownAccuracy, time: time ?? arrival,
      arrival: arrival, isTimed: time != nil, speed: Vector.speed(location),
      undirectedSpeed: location.course == nil ? Vector.speed(location) ?? 0 : 0,
      velocity: Vector.velocity(location))
    guard let last else { return begin(fix) }
    let elapsed = fix.time - last.time
    if elapsed == 0, !fix.isTimed { return follow(last, fix) }
    // A further report of the same epoch, or one that is late.
    guard elapsed > 0 else {
      if arrival - last.arrival > Self.longestDelay { begin(fix) }
      return
    }
    step(from: last, to: fix, elapsed)
    self.last = fix
  }

  private mutating func begin(_ fix: Fix) {
    last = fix
    accept(fix)
  }

  /// Accepts the position as the usual one.
  private mutating func accept(_ fix: Fix) {
    (usualDeparture, usualVariance, usualAccuracy) = (departure, variance, fix.accuracy)
    usualVelocity = fix.velocity ?? Vector()
    drift.reset()
    driftStart = nil
    settle(fix)
  }

  /// Begins a period in which the position may change without a reason. The departure of before
  /// counts afterwards too.
  private mutating func settle(_ fix: Fix) {
    settled = fix.arrival + Self.settlingTime
  }

  /// Handles a fix that arrived together with the last one, as all fixes of a stall do: the time
  /// between them is unknown.
  private mutating func follow(_ last: Fix, _ fix: Fix) {
    let moved = fix.movement(from: last)
    departure = departure + moved
    if fix.arrival < settled, jump == nil { usualDeparture = usualDeparture + moved }
    self.last = fix
  }

  private mutating func step(from last: Fix, to fix: Fix, _ elapsed: Double) {
    let isGap = elapsed > Self.longestStep || elapsed > 2.5 * interval && elapsed > 1.5
    if elapsed < 60 { interval += (elapsed - interval) / 4 }
    let moved = fix.movement(from: last)
    guard !isGap, let start = last.velocity, let end = fix.velocity,
      abs(fix.coordinate.latitude) < Self.highestLatitude
    else {
      if !isReachable(fix, from: last, elapsed, moved) { jump = (fix.arrival, true) }
      return settle(fix)
    }
    let residual = moved - (start + end).scaled(by: elapsed / 2)
    let isSettling = fix.arrival < settled
    let limit =
      2.5 * (last.accuracy + fix.accuracy) + 2 * (end - start).length
      + (isSettling ? Self.settlingFloor : Self.jumpFloor) + fix.delayedDistance
    departure = departure + residual
    if isSettling, jump == nil { usualDeparture = usualDeparture + residual }
    if residual.length > limit { jump = (fix.arrival, isSettling) }
    if jump == nil { acceptUndirected(elapsed * max(last.undirectedSpeed, fix.undirectedSpeed)) }
    constantTime = fix.speed == last.speed && fix.speed != 0 ? constantTime + elapsed : 0
    variance += elapsed * resolution.variance(atSpeed: fix.speed ?? 0)
    watchDrift(fix, elapsed, isSettling: isSettling)
  }

  /// Accepts as much of the departure as a movement in an unknown direction explains, so that a slow
  /// movement without a course is no evidence.
  ///
  /// - Parameter distance: The length of the movement in metres.
  private mutating func acceptUndirected(_ distance: Double) {
    guard distance > 0 else { return }
    let difference = departure - usualDeparture
    let share = min(1, distance / difference.length)
    usualDeparture = usualDeparture + difference.scaled(by: share)
  }

  private mutating func watchDrift(_ fix: Fix, _ elapsed: Double, isSettling: Bool) {
    let velocity = fix.velocity ?? usualVelocity
    let difference = departure - usualDeparture
    let distance = difference.length
    let limit =
      Self.driftFloor + 1.5 * max(fix.accuracy, usualAccuracy) + 0.5 * fix.accuracy
      + 2 * (variance - usualVariance).squareRoot()
      + resolution.largestError * roundingTime(along: difference)
      + Self.velocityDelay * (velocity - usualVelocity).length + fix.delayedDistance
    if isSettling, jump == nil { return }
    if let jump {
      returned.observe(distance < limit / 2 && !jump.afterLoss, at: fix.arrival)
      if returned.isRaised {
        self.jump = nil
        returned.reset()
      }
      return
    }
    // With hysteresis in the distance too.
    drift.observe(distance > (drift.isRaised ? 0.7 * limit : limit), at: fix.arrival)
    guard !drift.isRaised else {
      driftStart = driftStart ?? fix.arrival
      return
    }
    driftStart = nil
    let weight = min(1, elapsed / Self.memory)
    directions.add(velocity, weight: weight)
    usualDeparture = usualDeparture + (departure - usualDeparture).scaled(by: weight)
    usualVariance += (variance - usualVariance) * weight
    usualAccuracy += (fix.accuracy - usualAccuracy) * weight
    usualVelocity = usualVelocity + (velocity - usualVelocity).scaled(by: weight)
  }

  /// Seconds for which the speed may have been wrong by its unit along a direction.
  ///
  /// A truncated speed is too low by half a unit in the mean, and by up to another half for as long as
  /// it is constant. A vehicle that seems to rest may move at almost one unit.
  private func roundingTime(along direction: Vector) -> Double {
    let share = directions.share(along: direction)
    return Self.memory * (share + directions.rest) / 2 + min(Self.memory, constantTime) * share / 2
  }

  /// Accepts a displaced position after a time.
  mutating func expire(_ arrival: Double) {
    guard let last else { return }
    if let jump, arrival - jump.arrival > (jump.afterLoss ? 60 : Self.jumpMemory) {
      self.jump = nil
      returned.reset()
      accept(last)
    }
    if let driftStart, arrival - driftStart > Self.driftMemory { accept(last) }
  }

  /// Whether a receiver of the reported speeds could have moved so far during a gap.
  private func isReachable(
    _ fix: Fix, from last: Fix, _ elapsed: Double, _ moved: Vector
  ) -> Bool {
    let seconds = max(elapsed, fix.arrival - last.arrival) + 1
    var speed = Self.highestSpeed
    if let start = last.speed, let end = fix.speed {
      speed = min(speed, max(start, end) + 3 * seconds)
    }
    // Metres per second: at least the speed of a car that was at rest at both ends.
    let distance = max(speed, 40) * seconds + 3 * (last.accuracy + fix.accuracy)
    return moved.length <= distance + Self.settlingFloor
  }
}

/// The moving average of the directions of a movement, in which a rounded speed may be wrong.
private struct MeanDirections: Sendable {
  // The elements of a symmetric matrix, the mean of the products of unit vectors. A vehicle at rest
  // may move slowly in any direction.
  private var east = 1.0
  private var north = 1.0
  private var both = 0.0
  /// The share of the time in which the vehicle seems to rest.
  private(set) var rest = 1.0

  mutating func add(_ velocity: Vector, weight: Double) {
    let length = velocity.length
    let unit = length > 0 ? velocity.scaled(by: 1 / length) : Vector(east: 1, north: 1)
    east += (unit.east * unit.east - east) * weight
    north += (unit.north * unit.north - north) * weight
    rest += ((length > 0 ? 0 : 1) - rest) * weight
    both += ((length > 0 ? unit.east * unit.north : 0) - both) * weight
  }

  /// At least the mean absolute cosine between the movement and a direction: its root mean square.
  func share(along direction: Vector) -> Double {
    let square = direction.east * direction.east + direction.north * direction.north
    guard square > 0 else { return 1 }
    let form =
      direction.east * direction.east * east + direction.north * direction.north * north
      + 2 * direction.east * direction.north * both
    return max(0, form / square).squareRoot()
  }
}

extension GNSSFix? {
  /// Whether the position may change without a reason: it is estimated by dead reckoning, or has too
  /// few satellites.
  var isUncertain: Bool {
    guard let self else { return true }
    switch self.status {
    case .deadReckoning, .combinedDeadReckoning, .surveyed, .simulated: return true
    default: break
    }
    return self.mode == .twoDimensional || self.satellitesUsed.map { $0 < 5 } ?? false
  }
}
