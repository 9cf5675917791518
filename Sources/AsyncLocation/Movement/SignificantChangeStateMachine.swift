/// Decides which locations of one stream are significant changes.
///
/// The first location is delivered. A later one is delivered when it is at least
/// ``minimumDistance`` from the last delivered one and ``minimumInterval`` after it, and locations
/// have been that far away for the confirmation time. A location whose error exceeds its distance
/// is not evidence of a change. Reduced accuracy switches significant changes off: a reduced
/// location is not delivered, and every earlier location is forgotten.
package struct SignificantChangeStateMachine: Sendable {
  /// The minimum distance from the last delivered location, in metres.
  static let minimumDistance = 500.0
  /// The minimum time between deliveries.
  static let minimumInterval = Duration.seconds(300)
  /// The default time for which locations must be far from the last delivered one.
  package static let confirmation = Duration.seconds(60)
  /// After a longer gap between locations, a change needs no confirmation.
  static let longestGap = Duration.seconds(120)

  private let start: Duration
  private let confirmation: Duration
  private var delivered: (location: Location, instant: Duration)?
  /// The arrival time of the last location, delivered or not.
  private var lastArrival: Duration?
  /// The time at which the pending change is confirmed, possibly in the future; nil if none is
  /// pending.
  private var confirmationInstant: Duration?

  /// - Parameter start: The start of the stream. A location that arrived earlier counts as arriving
  ///   at the start.
  package init(
    startingAt start: Duration, confirmation: Duration = SignificantChangeStateMachine.confirmation
  ) {
    (self.start, self.confirmation) = (start, confirmation)
  }

  /// The last delivered location.
  var lastLocation: Location? { delivered?.location }

  /// Forgets every location, so that the next one is delivered.
  mutating func forget() { (delivered, lastArrival, confirmationInstant) = (nil, nil, nil) }

  /// Handles a location and returns whether it is to be delivered.
  ///
  /// - Parameter instant: The arrival time of the location, on a monotonic clock.
  package mutating func located(_ location: borrowing Location, at instant: Duration) -> Bool {
    guard !location.isReduced else {
      forget()
      return false
    }
    let instant = max(instant, start)
    let isAfterGap = lastArrival.map { instant - $0 > Self.longestGap } ?? true
    lastArrival = instant
    if let delivered {
      let distance = delivered.location.coordinate.distance(to: location.coordinate)
      guard distance >= Self.minimumDistance else {
        confirmationInstant = nil
        return false
      }
      guard location.horizontalAccuracy ?? 0 <= distance else { return false }
      let due = confirmationInstant ?? (isAfterGap ? instant : instant + confirmation)
      confirmationInstant = due
      guard instant >= due, instant - delivered.instant >= Self.minimumInterval else {
        return false
      }
    }
    (delivered, confirmationInstant) = ((copy location, instant), nil)
    return true
  }
}
