import AsyncLocation
import FoundationEssentials
import Glibc
import MockBackend

/// Reports a vehicle's day as a tracker does: at its intervals, with its errors.
struct TripReceiver: Sendable {
  /// When a tracker reports.
  package enum Reporting: Sendable, Hashable {
    /// Each number of seconds.
    case every(Double)
    /// Each ten seconds while it moves, and at rest each number of seconds; never if it is nil.
    case moving(rest: Double?)
  }

  private let reporting: Reporting
  private var random: SplitMix64
  /// Whether the tracker reports speeds and accuracies.
  private let hasSpeed, hasAccuracy: Bool
  /// The correlated error in standard deviations.
  private var error = (east: 0.0, north: 0.0)
  /// A displacement that lasts until a time, and the end of a time without reports.
  private var reflection: (end: Double, by: Place)?
  private var silentUntil = -1.0

  init(_ reporting: Reporting, seed: UInt64) {
    self.reporting = reporting
    random = SplitMix64(seed: seed)
    hasSpeed = Double.random(in: 0..<1, using: &random) < 0.6
    hasAccuracy = Double.random(in: 0..<1, using: &random) < 0.75
  }

  /// The locations of a day in the order in which they arrive: some are late.
  mutating func locations(of day: LabelledDay) -> [Location] {
    var reader = VehiclePathReader(day.path)
    var locations: [Location] = []
    var seconds = between(0, firstInterval)
    var movedUntil = -1.0
    var lastReport = -Double.infinity
    while seconds < LabelledDay.length {
      let (place, speed) = reader.state(at: seconds)
      // A tracker notices movement late, and rest later.
      if speed > 1 { movedUntil = seconds + 90 }
      if isDue(seconds, since: lastReport, isMoving: seconds < movedUntil) {
        lastReport = seconds
        let reception = reader.reception(at: seconds)
        if let location = location(at: place, speed, seconds, reception) {
          locations.append(location)
          let count = locations.count
          if count > 1, chance(0.005) { locations.swapAt(count - 1, count - 2) }
        }
      }
      seconds += step
    }
    // Each tracker reports once more, as it does on the next day.
    let (place, _) = reader.state(at: LabelledDay.length)
    while true {
      silentUntil = -1
      guard let last = location(at: place, 0, LabelledDay.length, .open) else { continue }
      return locations + [last]
    }
  }

  private var firstInterval: Double {
    if case .every(let interval) = reporting { interval } else { 10 }
  }

  private var step: Double {
    mutating get {
      switch reporting {
      case .every(1): 1
      case .every(let interval): interval * between(0.97, 1.03)
      case .moving: 10
      }
    }
  }

  private func isDue(_ seconds: Double, since last: Double, isMoving: Bool) -> Bool {
    guard case .moving(let rest) = reporting, !isMoving else { return true }
    return rest.map { seconds - last >= $0 } ?? false
  }

  private mutating func location(
    at place: Place, _ speed: Double, _ seconds: Double, _ reception: VehiclePath.Reception
  ) -> Location? {
    let deviation: Double
    switch reception {
    case .none: return nil
    case .open: deviation = 3
    case .urban: deviation = 7
    case .poor: deviation = 22
    }
    let interval = firstInterval
    if seconds >= silentUntil, chance(0.05 * min(interval, 270) / 3_600) {
      silentUntil = seconds + between(60, 480)
    }
    guard seconds >= silentUntil, !chance(0.02) else { return nil }
    let memory = exp(-interval / 60)
    let innovation = (1 - memory * memory).squareRoot()
    let (east, north) = PositionNoise.normalPair(using: &random)
    error = (error.east * memory + east * innovation, error.north * memory + north * innovation)
    if let reflection, seconds >= reflection.end { self.reflection = nil }
    let reflections = reception == .open ? 0.1 : 0.7
    if reflection == nil, chance(reflections * min(interval, 45) / 3_600) {
      reflection = (seconds - 45 * log(1 - between(0, 1)), offset(between(80, 500)))
    }
    let by = reflection?.by ?? Place()
    let white = PositionNoise.normalPair(using: &random)
    var seen = Place(
      east: place.east + error.east * deviation + by.east + white.0,
      north: place.north + error.north * deviation + by.north + white.1)
    var reported = max(0, speed + PositionNoise.normalPair(using: &random).0 * 0.25)
    if chance(0.004) {
      let outlier = offset(exp(between(log(60), log(20_000))))
      (seen.east, seen.north) = (seen.east + outlier.east, seen.north + outlier.north)
      if chance(0.3) { reported = between(0, 40) }
    }
    return try? Location(
      latitude: 47.5 + seen.north / 111_194, longitude: 9.2 + seen.east / 75_140,
      timestamp: Date(timeIntervalSinceReferenceDate: 800_000_000 + seconds.rounded()),
      horizontalAccuracy: hasAccuracy ? deviation * 2.45 * between(0.6, 1.6) : nil,
      speed: hasSpeed ? reported : nil)
  }

  private mutating func chance(_ probability: Double) -> Bool { between(0, 1) < probability }
  private mutating func between(_ low: Double, _ high: Double) -> Double {
    low + (high - low) * .random(in: 0..<1, using: &random)
  }
  private mutating func offset(_ distance: Double) -> Place {
    let angle = between(0, 2 * .pi)
    return Place(east: distance * cos(angle), north: distance * sin(angle))
  }
}
