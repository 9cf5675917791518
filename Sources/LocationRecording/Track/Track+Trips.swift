public import AsyncLocation

extension Track {
  /// The drives between places where the receiver rests, in the order of their times: the same as
  /// those of `LocationManager.trips(_:)` while the track was recorded.
  ///
  /// The last trip has no end if the track ends before the receiver has rested for
  /// `TripOptions.minimumRest`. Locations that are earlier than the previous one are ignored, and
  /// segments are not considered. Locations without a date of the receiver yield no trips.
  ///
  /// - Parameter options: The criteria of a trip, and the only receiver to use.
  public func trips(_ options: TripOptions = TripOptions()) -> [Trip] {
    var collection = TripCollection(options)
    for point in points { collection.add(point.location) }
    return collection.trips
  }
}

/// The trips of locations that are added one by one.
package struct TripCollection: Sendable {
  private let device: String?
  private var machine: TripStateMachine
  private var ended: [Trip] = []

  package init(_ options: TripOptions = TripOptions()) {
    device = options.device
    machine = TripStateMachine(options)
  }

  /// The trips that have ended, and the one that lasts.
  package var trips: [Trip] { ended + [machine.currentTrip].compactMap(\.self) }

  package mutating func add(_ location: Location) {
    guard location.sourceInformation?.timeSource != .host,
      device == nil || location.sourceInformation?.device == device
    else { return }
    if let trip = machine.located(location), trip.end != nil { ended.append(trip) }
  }
}
