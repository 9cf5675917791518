/// Decides from the locations of one device when trips begin and end.
///
/// A vehicle rests at a place or is on a trip. A trip begins when locations leave the place, and is
/// established once two in a row are at the minimum distance. It ends when the vehicle has stayed
/// at another place for the minimum rest, with the arrival there.
///
/// Order and durations come from timestamps, so live, replayed and stored locations yield the same
/// trips. A location that is not later than the latest one is ignored, and so is a contradicted one. A
/// reduced location discards everything: the current trip does not end.
package struct TripStateMachine: Sendable {
  /// The factor by which an interval exceeds the previous one if locations are missing; a receiver
  /// may also report rarely.
  private static let gapFactor = 2.5
  /// Metres: the distance between an entrance and an exit of a parking garage, within which a
  /// vehicle did not move during a gap.
  private static let garage = 500.0
  /// Metres per second; a vehicle that was slower during a gap was not under way.
  private static let gapSpeed = 1.0
  /// Metres. Less accurate locations are ignored.
  private static let worstAccuracy = 500.0
  /// The number of locations after a jump with which a trip continues.
  private static let jumpCount = 3
  /// The number of late locations, each later than the one before, that show that the latest time
  /// was wrong, and the least seconds by which they are late: others were delayed.
  private static let lateness = (count: 3, seconds: 600.0)

  private let limits: TripLimits
  /// The place of a resting vehicle; nil during a trip and before the first location.
  private var place: TripStay?
  private var trip: OpenTrip?
  /// The latest location that was used.
  private var last: TripFix?
  /// Seconds between the last two locations that were used.
  private var lastInterval = 0.0
  private var jump: TripJump?
  /// The timestamp of the latest location in seconds.
  private var latest = -Double.infinity
  /// The number of late locations in a row, and the timestamp of the last one.
  private var late = (count: 0, latest: -Double.infinity)
  /// Whether the receiver has reported movement.
  private var reportsMovement = false

  package init(_ options: TripOptions = TripOptions()) { limits = TripLimits(options) }

  /// The trip that lasts, without an end, as it is known so far. Nil before it is established.
  package var currentTrip: Trip? { trip.flatMap { $0.isEstablished ? $0.trip : nil } }

  /// Handles a location and returns a trip that it establishes or ends.
  package mutating func located(_ location: borrowing Location) -> Trip? {
    guard !location.isReduced else {
      forget()
      return nil
    }
    guard admits(location) else { return nil }
    let fix = TripFix(location, trustsZero: reportsMovement)
    guard fix.seconds > latest else { return addLate(fix) }
    (latest, late) = (fix.seconds, (0, -.infinity))
    reportsMovement = reportsMovement || fix.isMoving
    guard let last else {
      (place, self.last) = (TripStay(fix), fix)
      return nil
    }
    guard isAtPlace(fix) || continues(to: fix, after: last) else { return nil }
    jump = nil
    defer { (self.last, lastInterval) = (fix, fix.seconds - last.seconds) }
    if isRest(from: last, to: fix) { return endAtGap(last, fix) }
    return trip == nil ? depart(to: fix, after: last) : drive(to: fix, after: last)
  }

  /// Whether a location counts if it is not late.
  private func admits(_ location: borrowing Location) -> Bool {
    guard !location.isContradicted else { return false }
    return location.horizontalAccuracy ?? 0 <= Self.worstAccuracy
  }

  /// Ignores a late location, or begins anew with it if the latest time was wrong. Returns the trip
  /// that ends by this, at the latest location that was used.
  private mutating func addLate(_ fix: TripFix) -> Trip? {
    guard fix.seconds < latest - Self.lateness.seconds, fix.seconds != late.latest else {
      return nil
    }
    late = (fix.seconds > late.latest ? late.count + 1 : 1, fix.seconds)
    guard late.count == Self.lateness.count else { return nil }
    var ended: Trip?
    if let trip, trip.isEstablished, let last { ended = trip.trip(endedAt: trip.place(at: last)) }
    forget()
    (place, last, latest, late) = (TripStay(fix), fix, fix.seconds, (0, -.infinity))
    return ended
  }

  private mutating func forget() {
    (place, trip, last, jump, lastInterval) = (nil, nil, nil, nil, 0)
  }

  // MARK: Resting

  /// Handles a location after the latest one of a resting vehicle.
  private mutating func depart(to fix: TripFix, after last: TripFix) -> Trip? {
    guard let place else { return nil }
    if isAt(place, fix) {
      self.place?.add(fix)
      return nil
    }
    self.place = nil
    trip = OpenTrip(
      from: place, to: fix, after: last, isAfterGap: isGap(from: last, to: fix), limits)
    return nil
  }

  /// Whether a location is at the place of a resting vehicle, or at the origin of a trip that is not
  /// established.
  private func isAtPlace(_ fix: TripFix) -> Bool {
    if let trip { return !trip.isEstablished && isAt(trip.origin, fix) }
    return place.map { isAt($0, fix) } ?? false
  }

  private func isAt(_ place: TripStay, _ fix: TripFix) -> Bool {
    place.contains(fix, within: limits.radius * TripStay.slack)
  }

  // MARK: Driving

  /// Handles a location during a trip, which may not be established.
  private mutating func drive(to fix: TripFix, after last: TripFix) -> Trip? {
    guard var trip else { return nil }
    if !trip.isEstablished, isAt(trip.origin, fix) {
      (place, self.trip) = (trip.origin, nil)
      place?.add(fix)
      return nil
    }
    // The rest at which the trip ended may be known only since the previous location, with which
    // the trip was established.
    if trip.isEstablished, let rest = trip.rest {
      (place, self.trip) = (rest, nil)
      _ = depart(to: fix, after: last)
      return trip.trip(endedAt: rest)
    }
    trip.add(fix, after: last)
    self.trip = trip
    if let established = self.trip?.establish() { return established }
    guard let rest = self.trip?.rest else { return nil }
    let ended = trip.isEstablished ? trip.trip(endedAt: rest) : nil
    (place, self.trip) = (rest, nil)
    return ended
  }

  // MARK: Gaps

  /// Whether locations are missing for the minimum rest.
  private func isGap(from last: TripFix, to fix: TripFix) -> Bool {
    let interval = fix.seconds - last.seconds
    return interval >= limits.minimumRest && interval > Self.gapFactor * lastInterval
  }

  /// Whether a vehicle rested between two locations.
  private func isRest(from last: TripFix, to fix: TripFix) -> Bool {
    guard isGap(from: last, to: fix) else { return false }
    let interval = fix.seconds - last.seconds
    let distance = last.coordinate.distance(to: fix.coordinate) - fix.accuracy
    return distance <= max(Self.garage, Self.gapSpeed * interval) || interval > limits.maximumGap
  }

  /// Ends a trip at the latest location before a gap, and returns it. The first location after the
  /// gap is at the place of the next departure.
  private mutating func endAtGap(_ last: TripFix, _ fix: TripFix) -> Trip? {
    let trip = exchange(&self.trip, with: nil)
    let rest = trip.map { $0.isEstablished ? $0.place(at: last) : $0.origin } ?? place
    if let rest, isAt(rest, fix) {
      place = rest
      place?.add(fix)
    } else {
      place = TripStay(fix)
    }
    guard let trip, trip.isEstablished, let rest else { return nil }
    return trip.trip(endedAt: rest)
  }

  // MARK: Jumps

  /// Whether a vehicle could have moved to a location. Otherwise the location waits for others that
  /// confirm it.
  private mutating func continues(to fix: TripFix, after last: TripFix) -> Bool {
    guard var jump else {
      guard !fix.isReachable(from: last) else { return true }
      self.jump = TripJump(fix)
      return false
    }
    // With time everything is reachable, so the nearer position decides.
    let isBack =
      fix.coordinate.distance(to: last.coordinate)
      < fix.coordinate.distance(to: jump.latest.coordinate)
    if isBack, fix.isReachable(from: last) { return true }
    jump.add(fix, radius: limits.radius)
    self.jump = jump
    guard isConfirmed(jump) else { return false }
    self.jump = nil
    self.last = jump.latest
    if jump.isMoving(radius: limits.radius) || trip?.isEstablished == true {
      if let place, trip == nil {
        // The vehicle departed while the positions were wrong.
        trip = OpenTrip(from: place, to: jump.first, after: last, isAfterGap: false, limits)
        self.place = nil
      }
      trip?.jump(to: jump.latest, after: last)
    } else {
      (trip, place) = (nil, TripStay(jump.latest))
    }
    return false
  }

  /// Whether the locations after a jump are the right ones. A resting vehicle has not jumped, unless
  /// it moves since, or its place was known from fewer locations.
  private func isConfirmed(_ jump: TripJump) -> Bool {
    guard jump.count >= Self.jumpCount else { return false }
    let origin = trip?.origin ?? place
    return trip?.isEstablished == true || jump.isMoving(radius: limits.radius)
      || jump.count > origin?.count ?? 0
      || jump.seconds >= limits.jumpConfirmation
  }
}
