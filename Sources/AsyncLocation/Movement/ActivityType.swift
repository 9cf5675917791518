/// The activity of a stream's user. It determines when the receiver counts as stationary and which
/// jumps are errors.
///
/// | activity | stationary within | for | moves again at | highest plausible speed |
/// | --- | --- | --- | --- | --- |
/// | ``other`` | 50 m | 3 minutes | 1.5 m/s | unlimited |
/// | ``automotiveNavigation`` | 50 m | 5 minutes | 3 m/s | 100 m/s |
/// | ``otherNavigation`` | 100 m | 10 minutes | 2 m/s | 170 m/s |
/// | ``fitness`` | 30 m | 2 minutes | 1 m/s | 40 m/s |
/// | ``airborne`` | never | | | 515 m/s |
///
/// *Stationary within* is the distance from the first position of a stay; the accuracies of the
/// positions widen it, and a wider radius requires a proportionally longer stay. A speed of 0.5 m/s
/// or more prevents a stay. The receiver counts as moving again at the given speed, or when a
/// position is beyond one and a half radii. A speed that does not exceed its own accuracy is
/// ignored. Only streams with ``UpdateOptions/pausesAutomatically``, streams of
/// ``LocationManager/liveUpdates(_:)``, and the locations of events with
/// `pausesLocationUpdatesAutomatically` pause.
///
/// *Highest plausible speed* applies whether or not a stream pauses: a location that the receiver
/// could have reached only at a higher speed is not delivered, unless it is the third such location
/// in a row and each of the three could have been reached from the one before. The time between two
/// locations is the longer of the time between their arrivals and the time between their
/// timestamps.
@nonexhaustive
public enum ActivityType: String, Sendable, Hashable, Codable, CaseIterable {
  /// Unknown. No jump counts as an error.
  case other
  /// Driving a car. Waits at traffic lights and in most queues are shorter than a stay, and a walk
  /// around a parked car is slower than the given speed. No road vehicle reaches the highest speed.
  case automotiveNavigation
  /// Moving in another vehicle, such as a boat or a train. A boat that swings at anchor, and a
  /// train that waits at a station, are stationary. No train reaches the highest speed.
  case otherNavigation
  /// Walking, running, cycling. A pause at a crossing is shorter than a stay. The highest speed is
  /// that of a cyclist riding downhill.
  case fitness
  /// Flying. A hovering or circling aircraft is not stationary, so streams never pause. The highest
  /// speed is 1,000 knots, beyond which civil receivers report no position.
  case airborne

  /// The limits of a stay; nil when streams of this activity never pause.
  var stay: StayDetector.Limits? {
    switch self {
    case .other: .init(radius: 50, dwell: 180, departureSpeed: 1.5)
    case .automotiveNavigation: .init(radius: 50, dwell: 300, departureSpeed: 3)
    case .otherNavigation: .init(radius: 100, dwell: 600, departureSpeed: 2)
    case .fitness: .init(radius: 30, dwell: 120, departureSpeed: 1)
    case .airborne: nil
    }
  }

  /// The highest plausible speed in metres per second; nil without a limit.
  var highestSpeed: Double? {
    switch self {
    case .other: nil
    case .automotiveNavigation: 100
    case .otherNavigation: 170
    case .fitness: 40
    case .airborne: 515
    }
  }
}

/// The activity of a subscriber of ``LocationManager/liveUpdates(_:)``. The cases match Core
/// Location's.
@nonexhaustive
public enum LiveUpdateConfiguration: String, Sendable, Hashable, Codable, CaseIterable {
  /// ``ActivityType/other``.
  case `default`
  /// ``ActivityType/automotiveNavigation``.
  case automotiveNavigation
  /// ``ActivityType/otherNavigation``.
  case otherNavigation
  /// ``ActivityType/fitness``.
  case fitness
  /// ``ActivityType/airborne``.
  case airborne

  /// The activity whose limits apply.
  public var activityType: ActivityType {
    switch self {
    case .default: .other
    case .automotiveNavigation: .automotiveNavigation
    case .otherNavigation: .otherNavigation
    case .fitness: .fitness
    case .airborne: .airborne
    }
  }
}
