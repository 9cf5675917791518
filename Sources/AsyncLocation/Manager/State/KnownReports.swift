/// The last location and the last heading, and the reduction of locations.
struct KnownReports: Sendable {
  /// The last location. Set in place, since a location is large.
  var location: Location?
  private(set) var heading: Heading?
  /// The last location from before accuracy was reduced, stored until it can be reduced. Never
  /// delivered.
  private(set) var unreducedLocation: Location?
  /// Nil until the key is read, which the first reduced decision triggers.
  private(set) var tracks: ReducedTracks?

  mutating func setHeading(_ heading: Heading) { self.heading = heading }

  /// The reduced location for a precise location; nil before the key is read, and while the time
  /// step has no reduced location.
  func reduce(_ location: Location) -> Location? {
    var reduced = tracks?.reduce(location)
    reduced?.isReduced = true
    // A reduced location is not assessed, whatever it was stored with.
    reduced?.integrity = nil
    return reduced
  }

  /// Stores the tracks of the key that was read.
  mutating func keyWasRead(_ tracks: ReducedTracks) { self.tracks = tracks }

  /// Reduces the last location from before accuracy was reduced.
  mutating func reduceKnown() {
    guard let known = unreducedLocation, let reduced = reduce(known) else { return }
    (location, unreducedLocation) = (reduced, nil)
  }

  /// On a change to reduced accuracy, the known location waits to be reduced. On a change to full
  /// accuracy, it is cleared.
  mutating func accuracyChanged(to accuracy: AccuracyAuthorization) {
    let known = location
    clear()
    if accuracy == .reduced { unreducedLocation = known }
  }

  mutating func clear() { (location, heading, unreducedLocation) = (nil, nil, nil) }
}
