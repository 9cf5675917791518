public import AsyncLocation

extension Track {
  /// The drives between places where the receiver rests, in the order of the points: the same as
  /// those of `LocationManager.trips(_:)` for the same locations. That stream has one location in
  /// five seconds, of the preferred receiver; a track may have more.
  ///
  /// The last trip has no end if the track ends before the receiver has rested for
  /// `TripOptions.minimumRest`. Locations that are earlier than the latest one are ignored, unless
  /// three in a row are more than ten minutes earlier: then the latest time was wrong. Segments
  /// are not considered. Locations without a date of the receiver yield no trips.
  ///
  /// - Parameter options: The criteria of a trip, and the only receiver to use.
  public func trips(_ options: TripOptions = TripOptions()) -> [Trip] {
    var collection = TripCollection(options)
    for point in points { collection.add(point.location) }
    return collection.trips
  }
}

/// The trips of locations that are added one by one. Pure.
///
/// The points of a track, added one by one, yield the same trips as ``Track/trips(_:)``.
public struct TripCollection: Sendable {
  private let device: String?
  private var machine: TripStateMachine
  private var ended: [Trip] = []

  /// Creates a collection without locations.
  public init(_ options: TripOptions = TripOptions()) {
    device = options.device
    machine = TripStateMachine(options)
  }

  /// The trips that have ended, and the one that lasts.
  public var trips: [Trip] { ended + [machine.currentTrip].compactMap(\.self) }

  /// Adds a location. One that is earlier than the latest one is ignored as in ``Track/trips(_:)``,
  /// and so is one whose time is the host's.
  public mutating func add(_ location: Location) {
    guard location.sourceInformation?.timeSource != .host,
      device == nil || location.sourceInformation?.device == device
    else { return }
    if let trip = machine.located(location), trip.end != nil { ended.append(trip) }
  }
}
