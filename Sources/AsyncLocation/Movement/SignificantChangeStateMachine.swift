/// Decides which locations of one stream are significant changes.
///
/// The first location is delivered; later ones when they are ``minimumDistance`` from the last
/// delivered one and ``minimumInterval`` after it. A location whose error exceeds the distance
/// moved is no change.
struct SignificantChangeStateMachine: Sendable {
  /// Metres from the last delivered location.
  static let minimumDistance = 500.0
  /// The time between deliveries.
  static let minimumInterval = Duration.seconds(300)

  private let start: Duration
  private var last: (location: Location, instant: Duration)?

  /// - Parameter start: When the stream began. A location that is known since before is delivered
  ///   then.
  init(startingAt start: Duration) { self.start = start }

  /// The last location that was to be delivered.
  var lastLocation: Location? { last?.location }

  /// Forgets the last location, whose permission was withdrawn: the next one is delivered.
  mutating func forget() { last = nil }

  /// True when a location is to be delivered.
  ///
  /// - Parameter instant: When the location arrived, on a monotonic clock.
  mutating func located(_ location: borrowing Location, at instant: Duration) -> Bool {
    guard !location.isReduced else {
      last = nil
      return false
    }
    let instant = max(instant, start)
    if let last {
      let distance = last.location.coordinate.distance(to: location.coordinate)
      guard distance >= Self.minimumDistance,
        instant - last.instant >= Self.minimumInterval,
        location.horizontalAccuracy ?? 0 <= distance
      else { return false }
    }
    last = (copy location, instant)
    return true
  }
}
