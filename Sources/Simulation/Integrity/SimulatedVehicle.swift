import Glibc
import MockBackend

/// The true motion of a vehicle or a walker, in steps of one second.
struct SimulatedVehicle: Sendable {
  private enum Activity { case resting, moving }

  private(set) var position = Place()
  private(set) var speed = 0.0
  /// Radians clockwise from north.
  private(set) var course = 0.0
  /// Whether no satellite is received.
  private(set) var isInTunnel = false
  /// Whether buildings reflect signals.
  private(set) var isInCity = false

  private var random: SplitMix64
  private let isWalker: Bool
  private var activity = Activity.resting
  private var remaining = 60.0
  private var targetSpeed = 0.0
  private var turn = (rate: 0.0, remaining: 0.0)
  private var tunnel = 0.0
  private var city = 0.0

  init(seed: UInt64) {
    random = SplitMix64(seed: seed &* 2 &+ 1)
    isWalker = random.share() < 0.15
    course = 2 * .pi * random.share()
    remaining = 20 + 100 * random.share()
  }

  mutating func advance() {
    remaining -= 1
    if remaining <= 0 { changeActivity() }
    let acceleration = isWalker ? 0.8 : 2.5
    let change = min(max(targetSpeed - speed, -1.4 * acceleration), acceleration)
    let former = speed
    speed = max(0, speed + change)
    updateTurn()
    let middle = course + turn.rate / 2
    course += turn.rate
    let distance = (former + speed) / 2
    position.east += distance * sin(middle)
    position.north += distance * cos(middle)
    updateSurroundings()
  }

  private mutating func changeActivity() {
    if activity == .moving, random.share() < 0.35 {
      (activity, targetSpeed) = (.resting, 0)
      remaining = random.share() < 0.2 ? 600 * random.share() : 10 + 80 * random.share()
      return
    }
    activity = .moving
    targetSpeed = isWalker ? 0.8 + random.share() : 4 + 30 * random.share()
    remaining = 15 + 120 * random.share()
  }

  private mutating func updateTurn() {
    turn.remaining -= 1
    guard turn.remaining <= 0 else { return }
    turn = (0, 1)
    guard speed > 0.5, random.share() < (speed < 15 ? 0.05 : 0.02) else { return }
    // The lateral acceleration is at most 3 m/s².
    let most = min(0.45, 3 / speed)
    turn = (most * (2 * random.share() - 1), 2 + 6 * random.share())
  }

  private mutating func updateSurroundings() {
    tunnel -= 1
    city -= 1
    if tunnel <= 0, speed > 5, random.share() < 1.0 / 500 { tunnel = 5 + 85 * random.share() }
    if city <= 0, random.share() < 1.0 / 400 { city = 60 + 300 * random.share() }
    (isInTunnel, isInCity) = (tunnel > 0, city > 0)
  }
}
