/// Holds locations back until the receiver has travelled a distance, a time has passed, or the
/// capacity is reached.
struct DeferralStateMachine: Sendable {
  /// The end of a deferral: the locations that it held, and its error.
  struct End: Hashable, Sendable {
    var held: [Location]
    /// Nil when the distance or the time was reached, or when the capacity was reached.
    var error: LocationError?
  }

  private struct Deferral: Sendable {
    let number: UInt64
    let distance: Double
    var travelled = 0.0
    var held: [Location] = []
  }

  /// The maximum number of held locations.
  static let capacity = 1_024

  private var lastNumber: UInt64 = 0
  private var deferral: Deferral?

  var isActive: Bool { deferral != nil }

  /// Begins to hold locations.
  ///
  /// - Parameter distance: Metres along the path of the locations.
  /// - Returns: The number of the deferral.
  mutating func begin(untilTravelled distance: Double) -> UInt64 {
    lastNumber += 1
    deferral = Deferral(number: lastNumber, distance: distance.isNaN ? 0 : distance)
    return lastNumber
  }

  /// Holds a location. Returns the held locations if this location ends the deferral.
  mutating func located(_ location: Location) -> End? {
    guard var deferral else { return nil }
    if let last = deferral.held.last {
      deferral.travelled += last.coordinate.distance(to: location.coordinate)
    }
    deferral.held.append(location)
    self.deferral = deferral
    guard deferral.travelled >= deferral.distance || deferral.held.count >= Self.capacity else {
      return nil
    }
    return end(nil)
  }

  /// The time of a deferral has passed.
  mutating func timedOut(_ number: UInt64) -> End? {
    deferral?.number == number ? end(nil) : nil
  }

  /// Ends the deferral early.
  mutating func cancel() -> End? {
    end(LocationError(.deferredCanceled, "The deferral of locations was cancelled."))
  }

  func isActive(_ number: UInt64) -> Bool { deferral?.number == number }

  /// The reason why locations cannot be deferred; nil if they can.
  static func obstacle(
    _ services: LocationServices, _ properties: LocationManager.Properties
  ) -> LocationError? {
    if !services.contains(.locations) {
      LocationError(
        .deferredNotUpdatingLocation,
        "Locations cannot be deferred, since none are reported; call startUpdatingLocation() first."
      )
    } else if properties.distanceFilter > 0 {
      LocationError(
        .deferredDistanceFiltered,
        "Locations cannot be deferred with a distance filter; set distanceFilter to 0.")
    } else if properties.desiredAccuracy != .best {
      LocationError(
        .deferredAccuracyTooLow,
        "Locations cannot be deferred with this accuracy; set desiredAccuracy to .best.")
    } else {
      nil
    }
  }

  private mutating func end(_ error: LocationError?) -> End? {
    guard let deferral else { return nil }
    self.deferral = nil
    return End(held: deferral.held, error: error)
  }
}
