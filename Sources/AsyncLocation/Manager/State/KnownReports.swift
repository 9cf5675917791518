/// The last location and the last heading, and the reduction of locations.
struct KnownReports: Sendable {
  /// The last location. Set in place, since a location is large.
  var location: Location?
  private(set) var heading: Heading?
  /// The last location before accuracy was reduced, kept until the key is read. Never delivered.
  private var unreducedLocation: Location?
  /// Nil until the key is read, which the first reduced decision triggers.
  private var reducer: LocationReducer?

  /// True once the key of reduced accuracy is read.
  var hasKey: Bool { reducer != nil }

  mutating func keep(_ heading: Heading) { self.heading = heading }

  /// The reduced location for a precise one; nil before the key is read.
  mutating func reduce(_ location: Location) -> Location? {
    var reduced = reducer?.reduce(location)
    reduced?.isReduced = true
    return reduced
  }

  mutating func keyWasRead(_ key: ReducedAccuracyKey) {
    reducer = LocationReducer(key: key)
    if let known = unreducedLocation { location = reduce(known) }
    unreducedLocation = nil
  }

  /// From full to reduced, the known location is reduced; from reduced to full, it is cleared.
  mutating func accuracyChanged(to accuracy: AccuracyAuthorization) {
    let known = location
    clear()
    guard accuracy == .reduced, let known else { return }
    if hasKey { location = reduce(known) } else { unreducedLocation = known }
  }

  mutating func clear() { (location, heading, unreducedLocation) = (nil, nil, nil) }
}
