import Glibc
import MockBackend

/// A day of a vehicle: its path, and its trips as they were planned.
///
/// The plan decides when a trip begins and ends; no position is looked at.
struct LabelledDay: Sendable {
  /// Seconds from the start of the day.
  static let length = 86_400.0

  /// A planned trip: from the start of its first movement until the end of its last.
  struct Trip: Sendable {
    let start, end: Double
    /// Metres along the path.
    let distance: Double
  }

  private(set) var path = VehiclePath()
  private(set) var trips: [Trip] = []
  private var random: SplitMix64

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    path.receive(receptionAtRest())
    path.stand(between(4.5, 9) * 3_600)
    for remaining in (0..<[0, 1, 2, 2, 3, 3, 4, 4, 5, 6][int(10)]).reversed() {
      guard path.end.seconds < 19.5 * 3_600 else { break }
      if chance(0.08) { parkAgain() }
      leave()
      let (start, length) = (path.end.seconds, path.length)
      driveTrip(isLast: remaining == 0)
      trips.append(Trip(start: start, end: path.end.seconds, distance: path.length - length))
      park()
    }
    path.stand(Self.length - path.end.seconds)
  }

  // MARK: Rests

  /// The reception at the place of a rest: open, between houses, or none in a garage.
  private mutating func receptionAtRest() -> VehiclePath.Reception {
    switch unit() {
    case ..<0.6: .open
    case ..<0.8: .urban
    case ..<0.94: .poor
    default: .none
    }
  }

  /// Rests for 13 minutes to six hours after a trip; one rest in 20 is shorter than 25 minutes.
  private mutating func park() {
    let reception = receptionAtRest()
    if reception == .none {
      // The way from the entrance of the garage to the parking space is a part of the trip.
      path.receive(.none, since: path.end.seconds - between(10, 90))
    } else {
      path.receive(reception)
    }
    let rest =
      chance(0.05) ? between(13, 25) * 60 : exp(between(log(25 * 60), log(6 * 3_600)))
    path.stand(min(rest, max(25 * 60, 20.5 * 3_600 - path.end.seconds)))
  }

  /// Moves to another parking space, which is no trip.
  private mutating func parkAgain() {
    path.drive(to: away(between(20, 110), from: path.end.place), at: 3, leaving: 0)
    path.stand(between(15 * 60, 3_600))
  }

  /// The reception returns up to two minutes after the departure from a garage.
  private mutating func leave() {
    var reader = VehiclePathReader(path)
    let isInGarage = reader.reception(at: path.end.seconds) == .none
    path.receive(.urban, since: path.end.seconds + (isInGarage ? between(5, 120) : 1))
  }

  // MARK: Drives

  private mutating func driveTrip(isLast: Bool) {
    let origin = path.end.place
    let goesHome = isLast && distance(origin, Place()) > 1_000 && chance(0.7)
    switch unit() {
    case _ where goesHome: driveFar(to: Place())
    case ..<0.14: driveUrban(to: away(between(600, 1_800), from: origin))
    case ..<0.6: driveUrban(to: away(between(2_000, 9_000), from: origin))
    case ..<0.9: driveFar(to: away(between(12_000, 60_000), from: origin))
    default:
      // There and back, with at most a short stop at the turning point.
      driveUrban(to: away(between(2_500, 6_000), from: origin))
      if chance(0.5) { path.stand(between(20, 300)) }
      driveUrban(to: away(between(0, 60), from: origin))
    }
    // Looks for a parking space.
    path.drive(to: away(between(20, 150), from: path.end.place), at: 3.5, leaving: 0)
  }

  /// Drives to a place by motorway if it is far, with what happens on the way.
  private mutating func driveFar(to target: Place) {
    let origin = path.end.place
    guard distance(origin, target) > 6_000 else { return driveUrban(to: target) }
    driveUrban(to: point(between: origin, target, 0.06))
    if chance(0.06) { takeFerry() }
    path.receive(.open)
    let start = path.end.place
    let count = max(3, Int(distance(start, target) / 4_000))
    for index in 1..<count {
      let next = away(
        between(0, 500), from: point(between: start, target, 0.95 * Double(index) / Double(count)))
      let cruise = between(22, 36)
      if chance(0.05) {
        driveInTunnel(to: next, at: cruise, then: .open)
      } else {
        path.drive(to: next, at: cruise, leaving: cruise)
      }
      if chance(0.05) { crawl(for: between(300, 1_500), towards: target) }
    }
    path.receive(.urban)
    driveUrban(to: target)
  }

  /// Drives along streets that run east and north, with traffic lights, deliveries and jams.
  private mutating func driveUrban(to target: Place) {
    let cruise = between(8, 14)
    var blocks = 0
    while distance(path.end.place, target) > 30, blocks < 400 {
      blocks += 1
      let here = path.end.place
      let (east, north) = (target.east - here.east, target.north - here.north)
      let goesEast =
        abs(north) < 15 || abs(east) >= 15 && chance(abs(east) / (abs(east) + abs(north)))
      let block = between(60, 350)
      let next =
        goesEast
        ? Place(east: here.east + min(max(east, -block), block), north: here.north)
        : Place(east: here.east, north: here.north + min(max(north, -block), block))
      let waits = chance(0.22)
      if chance(0.012) {
        driveInTunnel(to: next, at: cruise, then: .urban)
      } else {
        path.drive(to: next, at: cruise, leaving: waits ? 0 : between(3, cruise))
      }
      if waits { path.stand(between(5, 85)) }
      // A delivery; near the target the vehicle would be parked there.
      if chance(0.012), distance(path.end.place, target) > 400 { path.stand(between(60, 420)) }
      if chance(0.006) { crawl(for: between(240, 1_200), towards: target) }
    }
    path.drive(to: target, at: cruise, leaving: 0)
  }

  /// Drives in a jam: a few metres, and a wait, again and again.
  private mutating func crawl(for seconds: Double, towards target: Place) {
    let end = path.end.seconds + seconds
    let here = path.end.place
    let angle = atan2(target.north - here.north, target.east - here.east) + between(-0.5, 0.5)
    while path.end.seconds < end, distance(path.end.place, target) > 400 {
      let step = between(6, 45)
      let here = path.end.place
      path.drive(
        to: Place(east: here.east + step * cos(angle), north: here.north + step * sin(angle)),
        at: between(1.5, 5), leaving: 0)
      path.stand(between(3, 40))
    }
  }

  /// Drives without reception, sometimes with a jam in the tunnel.
  private mutating func driveInTunnel(
    to target: Place, at cruise: Double, then reception: VehiclePath.Reception
  ) {
    path.receive(.none)
    path.drive(to: target, at: cruise, leaving: cruise)
    let direction = away(between(500, 4_000), from: target)
    path.drive(to: direction, at: cruise, leaving: cruise)
    if chance(0.1) { crawl(for: between(120, 600), towards: away(9_000, from: direction)) }
    path.receive(reception)
  }

  /// Waits for a ferry and crosses with it, in the hold without reception or on the deck.
  private mutating func takeFerry() {
    path.stand(between(120, 480))
    if chance(0.5) { path.receive(.none) }
    path.drive(
      to: away(between(4_000, 20_000), from: path.end.place), at: between(5, 9), leaving: 0)
    path.receive(.open)
  }

  // MARK: Random values

  private mutating func unit() -> Double { .random(in: 0..<1, using: &random) }
  private mutating func chance(_ probability: Double) -> Bool { unit() < probability }
  private mutating func int(_ bound: Int) -> Int { .random(in: 0..<bound, using: &random) }
  private mutating func between(_ low: Double, _ high: Double) -> Double {
    low + (high - low) * unit()
  }

  /// A point at a distance in a random direction.
  private mutating func away(_ distance: Double, from place: Place) -> Place {
    let angle = between(0, 2 * .pi)
    return Place(
      east: place.east + distance * cos(angle), north: place.north + distance * sin(angle))
  }

  private func distance(_ one: Place, _ other: Place) -> Double {
    hypot(one.east - other.east, one.north - other.north)
  }

  private func point(between one: Place, _ other: Place, _ share: Double) -> Place {
    Place(
      east: one.east + (other.east - one.east) * share,
      north: one.north + (other.north - one.north) * share)
  }
}
