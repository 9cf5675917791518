/// Decides from fixes alone whether receivers are stationary, separately for each receiver.
///
/// A receiver is stationary once all positions since some fix have stayed within a radius of that
/// fix for so long that movement at ``creep`` speed would have left the radius, and no speed
/// indicated movement. It moves as soon as a position is clearly outside the radius or a speed is
/// clearly higher. Time and memory do not depend on the number of fixes.
struct StationaryDetector: Sendable {
  /// Metres per second; a lower speed counts as standing still.
  static let creep = 0.5
  /// Metres per second; at this speed a stationary receiver is moving again.
  static let walk = 1.5
  /// The minimum radius in metres around the first position of a stay: the wander of a receiver in
  /// the open. The accuracies of both positions widen it.
  static let radius = 30.0
  /// The factor by which the radius for leaving exceeds the radius for staying.
  static let slack = 1.5
  /// Metres. A less accurate position is not evidence of standing or moving.
  static let worstAccuracy = 100.0
  /// Seconds within ``radius`` that make a stay. A wider radius takes proportionally longer.
  static let dwell = radius / creep
  /// Seconds without a fix after which a stay starts again, unless it is already stationary.
  static let longestGap = 120.0
  /// Names come from outside, so the table is bounded: when it is full, all entries are removed.
  static let rememberedReceivers = 256

  private struct Stay: Sendable {
    let start: Duration
    let place: Coordinate
    let accuracy: Double
    /// The largest radius that any of its fixes allowed.
    var radius = StationaryDetector.radius
    var latest: Duration
    var isStationary = false
  }

  private var stays: [DeviceID: Stay] = [:]

  /// True when the receiver of a fix is stationary.
  ///
  /// - Parameter instant: When the fix arrived, on a monotonic clock.
  mutating func observe(_ location: Location, at instant: Duration) -> Bool {
    let device = location.sourceInformation.deviceID
    if stays.count >= Self.rememberedReceivers, stays[device] == nil { stays.removeAll() }
    let stay = Self.next(stays[device], location, instant)
    stays[device] = stay
    return stay?.isStationary ?? false
  }

  /// The stay that a fix continues or begins; nil while there is none.
  private static func next(_ stay: Stay?, _ location: Location, _ instant: Duration) -> Stay? {
    let accuracy = location.horizontalAccuracy ?? 0
    guard accuracy <= worstAccuracy else {
      // The speed may still show movement, but the new position is unknown.
      return moves(location, stay) ? nil : stay
    }
    let anew = Stay(start: instant, place: location.coordinate, accuracy: accuracy, latest: instant)
    guard var stay, !moves(location, stay) else { return anew }
    let distance = stay.place.distance(to: location.coordinate)
    let near = max(radius, stay.accuracy + accuracy)
    guard distance <= (stay.isStationary ? near * slack : near) else { return anew }
    if !stay.isStationary {
      guard (instant - stay.latest).inSeconds <= longestGap else { return anew }
      stay.radius = max(stay.radius, near)
      stay.isStationary = (instant - stay.start).inSeconds >= dwell * stay.radius / radius
    }
    stay.latest = max(stay.latest, instant)
    return stay
  }

  /// True when a fix has a significant speed that exceeds the limit of a stay.
  private static func moves(_ location: Location, _ stay: Stay?) -> Bool {
    guard let speed = location.speed, speed > (location.speedAccuracy ?? 0) else { return false }
    return speed >= (stay?.isStationary == true ? walk : creep)
  }
}

extension Duration {
  fileprivate var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
