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
  /// The number of movements in a row away from the origin that show a trip, whatever speeds are
  /// reported.
  private static let advanceCount = 3
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
  /// The movements in a row by more than the radius of a place, and the distance from the origin
  /// after the last one.
  private var advances: (count: Int, distance: Double)

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
    advances = (0, origin.center.distance(to: fix.coordinate))
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
    advance(to: fix)
    hasMoved = hasMoved || fix.isMoving || advances.count >= Self.advanceCount
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

  private mutating func advance(to fix: TripFix) {
    let distance = origin.center.distance(to: fix.coordinate)
    if distance - fix.accuracy - advances.distance > limits.radius {
      advances = (advances.count + 1, distance)
    } else if distance + fix.accuracy - advances.distance < -limits.radius {
      advances = (0, distance)
    }
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

  /// Continues after positions to which the vehicle could not have driven.
  mutating func jump(to fix: TripFix, after last: TripFix) {
    figures.jump(to: fix, isReachable: isEstablished && fix.isReachable(from: last))
  }

  private mutating func end(_ wait: TripStay) {
    guard let stop = stop(wait) else { return }
    if stops.count < Trip.maximumStopCount {
      stops.append(stop)
    } else {
      figures.unlistedStopSeconds += wait.seconds
    }
  }

  /// The stop of the trip that a wait is, if it lasted long enough.
  private func stop(_ wait: TripStay) -> Trip.Stop? {
    guard wait.seconds >= limits.minimumStop else { return nil }
    return Trip.Stop(
      checked: wait.center, start: Self.date(wait.arrival), end: Self.date(wait.latest))
  }

  /// The stops before an arrival. The last one may be known to be complete only after the arrival.
  private func stops(before arrival: Double) -> [Trip.Stop] {
    let arrival = Self.date(arrival)
    let complete = stops.filter { $0.end <= arrival }
    guard let last = waits.current.flatMap(stop), last.end < arrival,
      stops.count < Trip.maximumStopCount
    else { return complete }
    return complete + [last]
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
  var trip: Trip { trip(figures, stops, endedAt: nil) }

  /// The trip that ended with the arrival at a place.
  func trip(endedAt place: TripStay) -> Trip {
    trip(place.figures, stops(before: place.arrival), endedAt: place)
  }

  private func trip(
    _ figures: TripFigures, _ stops: [Trip.Stop], endedAt place: TripStay?
  ) -> Trip {
    let end = place.map { max($0.arrival, start) }
    let stopped = stops.reduce(figures.unlistedStopSeconds) {
      $0 + $1.end.timeIntervalSince($1.start)
    }
    return Trip(
      checked: Self.date(start), end: end.map(Self.date), startCoordinate: origin.center,
      endCoordinate: place?.center, distance: figures.distance,
      movingTime: end.flatMap {
        ExactSeconds.duration(max(0, $0 - start - stopped))
      },
      maximumSpeed: figures.peak.value, locationCount: figures.locationCount,
      stops: stops)
  }

  private static func date(_ seconds: Double) -> Date {
    Timestamp.nearest(Date(timeIntervalSinceReferenceDate: seconds))
  }
}
