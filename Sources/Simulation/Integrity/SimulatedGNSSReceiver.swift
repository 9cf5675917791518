import Glibc
import MockBackend

/// A receiver with the errors of real ones, whose habits a seed determines.
struct SimulatedGNSSReceiver: Sendable {
  /// How receivers differ.
  private struct Habits: Sendable {
    /// Whether the receiver continues a straight line without signals.
    let coasts: Bool
    /// Whether it marks fixes that it continued as estimated.
    let marksEstimates: Bool
    /// The seconds by which its velocity lags.
    let velocityLag: Double
    /// The units to which speed and course are rounded; 0 for none.
    let speedUnit: Double
    let truncatesSpeed: Bool
    let courseUnit: Double
    /// Metres: the standard deviation of the slow error along each axis.
    let error: Double
    /// Seconds between views of the sky.
    let viewInterval: Int
    let hasColdStart: Bool
    /// Seconds that the clock is ahead until the leap seconds are known, and when that is.
    let leapCorrection: Double
    let leapTime: Double
    /// The rate of the host's clock, relative to the true one.
    let hostRate: Double
    let latency: Double
    let jammingLevel: Double
  }

  private let habits: Habits
  private var random: SplitMix64
  private var slowError: (Double, Double)
  private var reflection = (offset: Place(), remaining: 0.0)
  private var velocity: (east: Double, north: Double) = (0, 0)
  /// The position and the velocity with which a receiver continues without signals.
  private var coasting: (position: Place, east: Double, north: Double)?
  private var secondsHidden = 0
  private var sinceLoss = 1_000.0
  private var stallEnd = 0.0
  private var lastArrival = 0.0
  private var directions: [(prn: Int, elevation: Double, fading: Double, gain: Double)] = []

  init(seed: UInt64) {
    var random = SplitMix64(seed: seed &* 2 &+ 2)
    let units = [(0, 0), (0.0514, 0.1), (0.5144, 1), (0.2778, 1), (0.0278, 0.01)]
    let unit = units[Int(random.share() * 5)]
    let coasts = random.share() < 0.5
    habits = Habits(
      coasts: coasts, marksEstimates: random.share() < 0.5, velocityLag: 1.5 * random.share(),
      speedUnit: unit.0, truncatesSpeed: seed % 2 == 1, courseUnit: unit.1,
      error: 0.5 + 2.5 * random.share(),
      viewInterval: random.share() < 0.5 ? 1 : 5, hasColdStart: random.share() < 0.3,
      leapCorrection: random.share() < 0.2 ? (1 + 17 * random.share()).rounded() : 0,
      leapTime: 60 + 690 * random.share(), hostRate: (random.share() - 0.5) * 2e-4,
      latency: 0.05 + 0.5 * random.share(), jammingLevel: 40 * random.share())
    slowError = PositionNoise.normalPair(using: &random)
    for index in 0..<(6 + Int(random.share() * 14)) {
      let elevation = 8 + 80 * random.share() * random.share().squareRoot()
      directions.append(
        (index * 3 + 1, elevation, 0, 2 * PositionNoise.normalPair(using: &random).0))
    }
    self.random = random
    if habits.hasColdStart { sinceLoss = -30 }
  }

  /// Returns the output of a second; nil without one.
  mutating func observe(_ vehicle: SimulatedVehicle, at second: Int) -> Journey.Epoch? {
    let time = Double(second)
    let truth = vehicle.speed
    let lag = 1 / (1 + habits.velocityLag)
    velocity.east += (truth * sin(vehicle.course) - velocity.east) * lag
    velocity.north += (truth * cos(vehicle.course) - velocity.north) * lag
    updateErrors(vehicle)
    if vehicle.isInTunnel {
      secondsHidden += 1
      sinceLoss = 0
      return coast(time)
    }
    secondsHidden = 0
    sinceLoss += 1
    guard sinceLoss > 2 else { return sinceLoss < 0 ? nil : coast(time) }
    coasting = nil
    return fix(vehicle, time)
  }

  private mutating func updateErrors(_ vehicle: SimulatedVehicle) {
    let memory = exp(-1 / 60.0)
    let noise = PositionNoise.normalPair(using: &random)
    let innovation = (1 - memory * memory).squareRoot()
    slowError = (
      slowError.0 * memory + noise.0 * innovation, slowError.1 * memory + noise.1 * innovation
    )
    reflection.remaining -= 1
    guard reflection.remaining <= 0 else { return }
    reflection = (Place(), 1)
    guard vehicle.isInCity, random.share() < 0.08 else { return }
    let angle = 2 * Double.pi * random.share()
    let distance = -9 * log(1 - 0.99 * random.share())  // At most 41 m.
    reflection = (
      Place(east: distance * cos(angle), north: distance * sin(angle)), 1 + 20 * random.share()
    )
  }

  /// A fix that continues the last one, of receivers that do so for some time.
  private mutating func coast(_ time: Double) -> Journey.Epoch? {
    guard habits.coasts, secondsHidden < 60, var state = coasting ?? lastState else { return nil }
    state.position.east += state.east
    state.position.north += state.north
    coasting = state
    let speed = (state.east * state.east + state.north * state.north).squareRoot()
    return epoch(
      time, state.position, accuracy: 5 + 0.5 * Double(secondsHidden), speed,
      atan2(state.east, state.north), used: Int(random.share() * 4),
      isEstimated: habits.marksEstimates, sky: [])
  }

  /// The last fix with signals.
  private var lastState: (position: Place, east: Double, north: Double)?

  private mutating func fix(_ vehicle: SimulatedVehicle, _ time: Double) -> Journey.Epoch {
    // After a loss the errors are large, and the reported accuracy is too small.
    let unsettled = sinceLoss < 900 ? exp(-sinceLoss / 9) : 0
    let scale = habits.error * (1 + 12 * unsettled)
    let noise = PositionNoise.normalPair(using: &random)
    let place = Place(
      east: vehicle.position.east + slowError.0 * scale + 0.2 * noise.0 + reflection.offset.east,
      north: vehicle.position.north + slowError.1 * scale + 0.2 * noise.1
        + reflection.offset.north)
    let isReflected = reflection.offset != Place()
    let sigma = isReflected ? 0.4 : 0.08
    let velocityNoise = PositionNoise.normalPair(using: &random)
    let east = velocity.east + sigma * velocityNoise.0
    let north = velocity.north + sigma * velocityNoise.1
    let speed = (east * east + north * north).squareRoot()
    lastState = (place, velocity.east, velocity.north)
    return epoch(
      time, place, accuracy: 2 + 2.45 * scale * 0.7 + (isReflected ? 5 * random.share() : 0), speed,
      atan2(east, north), used: directions.count, isEstimated: false, sky: sky(vehicle, time))
  }

  private mutating func sky(
    _ vehicle: SimulatedVehicle, _ time: Double
  ) -> [(prn: Int, elevation: Double, strength: Double)] {
    for index in directions.indices {
      directions[index].fading =
        0.9 * directions[index].fading
        + (vehicle.isInCity ? 1.5 : 0.5) * PositionNoise.normalPair(using: &random).0
    }
    guard Int(time) % habits.viewInterval == 0 else { return [] }
    return directions.map {
      (
        $0.prn, $0.elevation,
        31 + 15 * sin($0.elevation * .pi / 180) + $0.gain + $0.fading
      )
    }
  }

  private mutating func epoch(
    _ time: Double, _ position: Place, accuracy: Double, _ speed: Double, _ course: Double,
    used: Int, isEstimated: Bool, sky: [(prn: Int, elevation: Double, strength: Double)]
  ) -> Journey.Epoch {
    func rounded(_ number: Double, _ unit: Double) -> Double {
      unit > 0 ? (number / unit).rounded() * unit : number
    }
    let degrees = rounded(
      (course * 180 / .pi + 360).truncatingRemainder(dividingBy: 360), habits.courseUnit)
    let ahead = time < habits.leapTime ? habits.leapCorrection : 0
    return Journey.Epoch(
      time: time + ahead, arrival: arrival(time), position: position, accuracy: accuracy,
      speed: habits.truncatesSpeed && habits.speedUnit > 0
        ? (speed / habits.speedUnit).rounded(.down) * habits.speedUnit
        : rounded(speed, habits.speedUnit),
      course: speed < 0.8 ? nil : min(degrees, 360), satellitesUsed: used,
      isEstimated: isEstimated,
      jamming: Int(habits.jammingLevel + 20 * random.share()), sky: sky)
  }

  /// Delays some epochs, and now and then all of them for up to two minutes.
  private mutating func arrival(_ time: Double) -> Double {
    if random.share() < 1.0 / 2_400 { stallEnd = time + 2 + 118 * random.share() }
    let delay = habits.latency - 0.08 * log(1 - random.share())
    let arrival = max(time * (1 + habits.hostRate) + delay, stallEnd)
    lastArrival = max(arrival, lastArrival)
    return lastArrival
  }
}
