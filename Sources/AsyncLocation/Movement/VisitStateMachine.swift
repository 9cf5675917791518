/// Decides from the locations of one stream when visits begin and end.
///
/// A stay begins with any location and is established once it has lasted for the minimum stay. It
/// ends when locations have been elsewhere for as long as the options require, which is longer if
/// they began with a jump; a single location elsewhere does not end a stay. The departure is the
/// time of the last location at the place, also after a gap. Order and durations come from the
/// arrivals of the locations, so setting a wall clock neither begins nor ends a visit. Reduced
/// accuracy switches visits off: a reduced location ends the stay without a visit.
package struct VisitStateMachine: Sendable {
  /// Locations elsewhere, which may turn out to be errors.
  private struct Departure: Sendable {
    let since: Duration
    /// The time for which these locations must last.
    let confirmation: Duration
    var count = 1
    /// The stay that these locations begin.
    var next: PlaceStay
  }

  private let options: VisitOptions
  private let radius: Double
  private var stay: PlaceStay?
  private var departure: Departure?
  /// The arrival time of the latest location.
  private var latest = Duration.zero

  package init(_ options: VisitOptions = VisitOptions()) {
    self.options = options
    radius = options.radius.isFinite ? max(10, options.radius) : VisitOptions().radius
  }

  /// Handles a location.
  ///
  /// - Parameter instant: The arrival time of the location, on a monotonic clock.
  /// - Returns: A visit that the location establishes or ends.
  package mutating func located(_ location: borrowing Location, at instant: Duration) -> Visit? {
    guard !location.isReduced else {
      (stay, departure) = (nil, nil)
      return nil
    }
    guard location.horizontalAccuracy ?? 0 <= radius else { return nil }
    let instant = stay == nil ? instant : max(instant, latest)
    let isGap = instant - latest > options.maximumGap
    latest = instant
    guard let stay, stay.isEstablished || !isGap else {
      departure = nil
      stay = PlaceStay(location, at: instant, isArrivalKnown: false)
      return nil
    }
    guard stay.contains(location, radius: radius) else {
      return locatedElsewhere(than: stay, for: location, at: instant, isGap: isGap)
    }
    departure = nil
    self.stay?.add(location, at: instant)
    guard !stay.isEstablished, let duration = self.stay?.duration, duration >= options.minimumStay
    else { return nil }
    return self.stay?.establish()
  }

  /// Handles a location that is not at the place of the stay. Returns the visit that it ends.
  private mutating func locatedElsewhere(
    than stay: PlaceStay, for location: borrowing Location, at instant: Duration, isGap: Bool
  ) -> Visit? {
    let newStay = PlaceStay(location, at: instant, isArrivalKnown: !isGap)
    var departure: Departure
    if let pending = self.departure {
      departure = pending
      departure.count += 1
      if !isGap, departure.next.contains(location, radius: radius) {
        departure.next.add(location, at: instant)
      } else {
        departure.next = newStay
      }
    } else {
      let isJump = !stay.reaches(location, at: instant)
      departure = Departure(
        since: instant,
        confirmation: isJump ? options.jumpConfirmation : options.departureConfirmation,
        next: newStay)
    }
    guard departure.count > 1, instant - departure.since >= departure.confirmation else {
      self.departure = departure
      return nil
    }
    self.departure = nil
    self.stay = departure.next
    return stay.isEstablished ? stay.ended() : nil
  }
}
