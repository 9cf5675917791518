/// Decides from the fixes of one receiver whether it is stationary.
///
/// A receiver is stationary once all positions since some fix have stayed within a radius of that
/// fix for so long that movement at ``standstillSpeed`` would have left the radius, and no speed
/// indicated movement. It counts as moving again as soon as a position is beyond ``slack`` radii or
/// a speed reaches ``Limits/departureSpeed``. Time and memory do not depend on the number of fixes.
struct StayDetector: Sendable {
  /// The limits that decide when a stay begins and ends.
  struct Limits: Sendable, Hashable {
    /// The minimum radius in metres around the first position of a stay. The accuracies of both
    /// positions widen it.
    let radius: Double
    /// The shortest stay in seconds within ``radius``. A wider radius requires a proportionally
    /// longer one.
    let dwell: Double
    /// Metres per second; at this speed a stationary receiver is moving again.
    let departureSpeed: Double
  }

  /// Metres per second; a lower speed counts as standing still.
  static let standstillSpeed = 0.5
  /// The factor by which the radius for leaving exceeds the radius for staying.
  static let slack = 1.5
  /// Metres. A less accurate position is not evidence of standing or moving.
  static let worstAccuracy = 100.0
  /// Seconds without a fix after which a stay starts again, unless the receiver is already
  /// stationary.
  static let longestGap = 120.0

  private struct Stay: Sendable {
    let start: Duration
    let place: Coordinate
    let accuracy: Double
    /// The largest radius that any of its fixes allowed.
    var radius: Double
    var latest: Duration
    var isStationary = false
  }

  private let limits: Limits
  private var stay: Stay?

  init(_ limits: Limits) { self.limits = limits }

  var isStationary: Bool { stay?.isStationary ?? false }
  /// The start of the current stay; nil without a stay.
  var start: Duration? { stay?.start }

  /// Counts the receiver as moving.
  mutating func reset() { stay = nil }

  /// Handles a fix and returns whether the receiver is now stationary.
  ///
  /// - Parameter instant: The arrival time of the fix, on a monotonic clock.
  mutating func observe(_ location: borrowing Location, at instant: Duration) -> Bool {
    stay = next(location, instant)
    return isStationary
  }

  /// The stay that a fix continues or begins; nil while there is none.
  private func next(_ location: borrowing Location, _ instant: Duration) -> Stay? {
    let accuracy = location.horizontalAccuracy ?? 0
    guard accuracy <= Self.worstAccuracy else {
      // The speed may still show movement, but the new position is unknown.
      return moves(location) ? nil : stay
    }
    let newStay = Stay(
      start: instant, place: location.coordinate, accuracy: accuracy, radius: limits.radius,
      latest: instant)
    guard var stay, !moves(location) else { return newStay }
    let distance = stay.place.distance(to: location.coordinate)
    let near = max(limits.radius, stay.accuracy + accuracy)
    guard distance <= (stay.isStationary ? near * Self.slack : near) else { return newStay }
    if !stay.isStationary {
      guard ExactSeconds.number(instant - stay.latest) <= Self.longestGap else { return newStay }
      stay.radius = max(stay.radius, near)
      stay.isStationary =
        ExactSeconds.number(instant - stay.start) >= limits.dwell * stay.radius / limits.radius
    }
    stay.latest = max(stay.latest, instant)
    return stay
  }

  /// True when the speed of a fix exceeds its accuracy and reaches the limit for movement.
  private func moves(_ location: borrowing Location) -> Bool {
    guard let speed = location.speed, speed > (location.speedAccuracy ?? 0) else { return false }
    return speed >= (isStationary ? limits.departureSpeed : Self.standstillSpeed)
  }
}
