/// Decides which locations of one stream are significant changes.
///
/// The first location is delivered; later ones when they are ``minimumDistance`` from the last
/// delivered one and ``minimumInterval`` after it, and locations have been as far for
/// a confirmation. A location whose error exceeds the distance moved is no evidence of a change.
package struct SignificantChangeStateMachine: Sendable {
  /// Metres from the last delivered location.
  static let minimumDistance = 500.0
  /// The time between deliveries.
  static let minimumInterval = Duration.seconds(300)
  /// The default time for which locations must be far from the last delivered one.
  package static let confirmation = Duration.seconds(60)
  /// After a longer time without a location, one that is far needs no confirmation.
  static let longestGap = Duration.seconds(120)

  private let start: Duration
  private let confirmation: Duration
  private var last: (location: Location, instant: Duration)?
  /// When the last location arrived, also one that was not delivered.
  private var latest: Duration?
  /// When the change became, or becomes, a confirmed one; nil while locations are near.
  private var confirmed: Duration?

  /// - Parameter start: When the stream began. A location that is known since before is delivered
  ///   then.
  package init(
    startingAt start: Duration, confirmation: Duration = SignificantChangeStateMachine.confirmation
  ) {
    (self.start, self.confirmation) = (start, confirmation)
  }

  /// The last location that was to be delivered.
  var lastLocation: Location? { last?.location }

  /// Forgets the last location, whose permission was withdrawn: the next one is delivered.
  mutating func forget() { (last, latest, confirmed) = (nil, nil, nil) }

  /// True when a location is to be delivered.
  ///
  /// - Parameter instant: When the location arrived, on a monotonic clock.
  package mutating func located(_ location: borrowing Location, at instant: Duration) -> Bool {
    guard !location.isReduced else {
      forget()
      return false
    }
    let instant = max(instant, start)
    let isAfterGap = latest.map { instant - $0 > Self.longestGap } ?? true
    latest = instant
    if let last {
      let distance = last.location.coordinate.distance(to: location.coordinate)
      guard distance >= Self.minimumDistance else {
        confirmed = nil
        return false
      }
      guard location.horizontalAccuracy ?? 0 <= distance else { return false }
      let confirmed = self.confirmed ?? (isAfterGap ? instant : instant + confirmation)
      self.confirmed = confirmed
      guard instant >= confirmed, instant - last.instant >= Self.minimumInterval else {
        return false
      }
    }
    (last, confirmed) = ((copy location, instant), nil)
    return true
  }
}
