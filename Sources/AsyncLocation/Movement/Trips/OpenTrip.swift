import FoundationEssentials

/// A trip that lasts, in constant memory besides its stops.
struct OpenTrip: Sendable {
  /// Metres per second: a usual speed, from which departures and arrivals between two locations are
  /// estimated.
  static let usualSpeed = 10.0
  /// The radius of a stop in metres.
  private static let stopRadius = 30.0
  /// The number of locations in a row that establish a trip.
  private static let farCount = 2
  /// The least seconds of a stop at the last place with which the arrival there begins.
  private static let lastStop = 120.0

  /// The place of departure.
  let origin: TripStay
  /// Seconds from 2001-01-01.
  private let start: Double
  private let limits: TripLimits
  private(set) var isEstablished = false
  private var figures: TripFigures
  private var stops: [Trip.Stop] = []
  private var rests: TripStays
  private var waits: TripStays
  /// The number of locations in a row that show a trip.
  private var farCount = 0
  /// The first location that is not at the origin.
  private let first: TripFix
  /// Whether the receiver has reported movement.
  private var hasMoved = false

  /// Begins a trip with the first location that is not at its origin.
  ///
  /// - Parameter isAfterGap: Whether locations are missing before it.
  init(
    from origin: TripStay, to fix: TripFix, after last: TripFix, isAfterGap: Bool,
    _ limits: TripLimits
  ) {
    self.origin = origin
    self.limits = limits
    start = Self.departure(from: origin, to: fix, isAfterGap: isAfterGap, limits)
    figures = TripFigures(at: origin.center)
    first = fix
    rests = TripStays(
      radius: limits.radius, confirmation: limits.jumpConfirmation, keepsLonger: true)
    waits = TripStays(
      radius: Self.stopRadius, confirmation: limits.jumpConfirmation, keepsLonger: false)
    add(fix, after: last)
  }

  /// The time of the departure before the first location elsewhere. A tracker that reports when it
  /// is moved reports near the place, or first after a gap. Otherwise the vehicle departed at any
  /// time since the last location there.
  private static func departure(
    from origin: TripStay, to fix: TripFix, isAfterGap: Bool, _ limits: TripLimits
  ) -> Double {
    let distance = origin.center.distance(to: fix.coordinate)
    let speed = fix.isMoving ? max(fix.speed ?? 0, usualSpeed / 2) : usualSpeed
    let latest = min(max(origin.latest, fix.seconds - distance / speed), fix.seconds)
    let isNear = distance < limits.minimumDistance
    return isNear || isAfterGap ? latest : (origin.latest + latest) / 2
  }

  mutating func add(_ fix: TripFix, after last: TripFix) {
    figures.add(fix, after: last)
    hasMoved = hasMoved || fix.isMoving
    let isSparse = fix.seconds - last.seconds >= TripStays.sparseInterval
    if !showsTrip(fix) || !isSparse && !hasMoved && fix.speed != nil {
      farCount = 0
    } else {
      farCount += isSparse && !fix.isMoving ? Self.farCount : 1
    }
    let length = last.coordinate.distance(to: fix.coordinate)
    let earliest = min(max(start, last.seconds) + length / Self.usualSpeed, fix.seconds)
    let arrival = (earliest + fix.seconds) / 2
    _ = rests.add(fix, arrival: arrival, figures: figures)
    if let wait = waits.add(fix, arrival: fix.seconds, figures: figures) { end(wait) }
  }

  /// Whether a location is at the minimum distance from the origin and not at the first place
  /// elsewhere: a reflected signal moves a vehicle once, and does not change its speed.
  private func showsTrip(_ fix: TripFix) -> Bool {
    func distance(to coordinate: Coordinate) -> Double {
      coordinate.distance(to: fix.coordinate) - fix.accuracy
    }
    return distance(to: origin.center) >= limits.minimumDistance
      && (fix.isMoving || distance(to: first.coordinate) > limits.radius)
  }

  /// Continues at a position to which the vehicle cannot have driven.
  mutating func jump(to fix: TripFix) { figures.jump(to: fix) }

  private mutating func end(_ wait: TripStay) {
    guard wait.seconds >= limits.minimumStop else { return }
    figures.stoppedSeconds += wait.seconds
    guard stops.count < Trip.maximumStopCount else { return }
    stops.append(
      Trip.Stop(
        checked: wait.center, start: Self.date(wait.arrival), end: Self.date(wait.latest)))
    figures.stopCount = stops.count
  }

  /// Establishes the trip if it is far enough from its origin. Returns the trip, without an end,
  /// the first time.
  mutating func establish() -> Trip? {
    guard !isEstablished, farCount >= Self.farCount || isFar(rest) else { return nil }
    isEstablished = true
    return trip
  }

  private func isFar(_ rest: TripStay?) -> Bool {
    guard let rest, origin.count > 1 else { return false }
    return origin.center.distance(to: rest.center) >= limits.minimumDistance
  }

  /// The rest that ends the trip. If the vehicle stopped near the last place before, such as at a
  /// gate, the last stop is the arrival.
  var rest: TripStay? {
    guard let rest = rests.stay(lasting: limits.minimumRest) else { return nil }
    guard let stop = waits.current, stop.arrival > rest.arrival, stop.seconds >= Self.lastStop,
      let accuracy = stop.accuracy, accuracy <= Self.stopRadius,
      rest.first.coordinate.distance(to: stop.center) > 2 * Self.stopRadius
    else { return rest }
    return rest.arriving(with: stop)
  }

  /// The place of the latest location, at which the trip ends if the next one follows a gap.
  func place(at last: TripFix) -> TripStay {
    if let current = rests.current, current.latest == last.seconds { return current }
    return TripStay(last, arrival: last.seconds, figures: figures)
  }

  /// The trip as it is known so far, without an end.
  var trip: Trip { trip(figures, endedAt: nil) }

  /// The trip that ended with the arrival at a place.
  func trip(endedAt place: TripStay) -> Trip { trip(place.figures, endedAt: place) }

  private func trip(_ figures: TripFigures, endedAt place: TripStay?) -> Trip {
    let end = place.map { max($0.arrival, start) }
    return Trip(
      checked: Self.date(start), end: end.map(Self.date), startCoordinate: origin.center,
      endCoordinate: place?.center, distance: figures.distance,
      movingTime: end.flatMap {
        ExactSeconds.duration(max(0, $0 - start - figures.stoppedSeconds))
      },
      maximumSpeed: figures.peak.value, locationCount: figures.locationCount,
      stops: Array(stops.prefix(figures.stopCount)))
  }

  private static func date(_ seconds: Double) -> Date {
    Timestamp.nearest(Date(timeIntervalSinceReferenceDate: seconds))
  }
}
