/// The last location and the last heading, and the reduction of locations.
struct KnownReports: Sendable {
  /// The last location. Set in place, since a location is large.
  var location: Location?
  private(set) var heading: Heading?
  /// The last location before accuracy was reduced, kept until it can be reduced. Never delivered.
  private(set) var unreducedLocation: Location?
  /// Nil until the key is read, which the first reduced decision triggers.
  private(set) var tracks: ReducedTracks?

  mutating func keep(_ heading: Heading) { self.heading = heading }

  /// The reduced location for a precise one; nil before the key is read and while the time step has
  /// none.
  func reduce(_ location: Location) -> Location? {
    var reduced = tracks?.reduce(location)
    reduced?.isReduced = true
    return reduced
  }

  /// The key with these tracks was read.
  mutating func keyWasRead(_ tracks: ReducedTracks) { self.tracks = tracks }

  /// Reduces the last location before accuracy was reduced.
  mutating func reduceKnown() {
    guard let known = unreducedLocation, let reduced = reduce(known) else { return }
    (location, unreducedLocation) = (reduced, nil)
  }

  /// From full to reduced, the known location waits to be reduced; from reduced to full, it is
  /// cleared.
  mutating func accuracyChanged(to accuracy: AccuracyAuthorization) {
    let known = location
    clear()
    if accuracy == .reduced { unreducedLocation = known }
  }

  mutating func clear() { (location, heading, unreducedLocation) = (nil, nil, nil) }
}
