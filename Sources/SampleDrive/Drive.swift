import AsyncLocation
package import FoundationEssentials

/// A synthetic recorded drive. Equal seeds and start times give identical drives.
///
/// The car is parked, drives through a village with two traffic lights, follows a highway over a
/// ridge and through a tunnel, and returns to its start, so that drives can be repeated.
package struct Drive: Sendable {
  /// The seed of the drive that documentation, demonstrations and tests use.
  package static let standardSeed: UInt64 = 2026
  /// 2026-05-04 03:00:00 UTC.
  package static let standardStart = CivilTime.date(
    seconds: CivilTime.days(year: 2026, month: 5, day: 4) * 86_400 + 3 * 3600, nanoseconds: 0)

  /// One epoch per second, from the start.
  package let epochs: [Epoch]
  /// The time of the first epoch: UTC, whole seconds.
  package let start: Date
  /// One second per epoch.
  package var duration: Duration { .seconds(epochs.count) }

  /// - Parameters:
  ///   - seed: Determines the random parts: the receiver's errors and the fading of signals.
  ///   - start: The time of the first epoch; fractions of a second are dropped.
  package init(seed: UInt64 = standardSeed, start: Date = standardStart) {
    let startSeconds = CivilTime.split(start).seconds
    let route = Route()
    var receiver = ReceiverModel(frame: route.frame, seed: seed)
    // Seconds since the standard start, so that the satellites' positions continue from one drive
    // to a later one.
    let orbitStart = startSeconds - CivilTime.split(Self.standardStart).seconds
    self.start = CivilTime.date(seconds: startSeconds, nanoseconds: 0)
    epochs = Driver.drive(route).enumerated().map { second, state in
      let truth = Self.motion(state, on: route)
      let observation = receiver.observe(truth, at: Double(orbitStart + second))
      return Epoch(
        offset: .seconds(second),
        timestamp: CivilTime.date(seconds: startSeconds + second, nanoseconds: 0),
        truth: truth, fix: observation.fix, satellites: observation.satellites)
    }
  }

  private static func motion(_ state: Driver.State, on route: Route) -> Epoch.Motion {
    let (point, heading) = route.path.position(at: state.station)
    let (latitude, longitude) = route.frame.degrees(at: point)
    let (altitude, slope) = route.altitude(at: state.station)
    return Epoch.Motion(
      latitude: latitude, longitude: longitude, altitude: altitude, distance: state.station,
      speed: state.speed, course: heading.degrees.normalizedDegrees, climb: state.speed * slope,
      isInTunnel: route.tunnel.contains(state.station))
  }
}
