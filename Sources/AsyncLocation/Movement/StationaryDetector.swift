/// Decides whether receivers stand still, each for itself, from their fixes alone.
///
/// A receiver stands still once all its positions since some fix have stayed so close to that fix,
/// and for so long, that even ``creep`` would have taken it farther, and no speed said otherwise. It
/// moves at once when a position is clearly farther off, or a speed clearly higher. What it costs
/// and remembers does not depend on how many fixes there are.
struct StationaryDetector: Sendable {
  /// Metres a second: what is slower counts as standing.
  static let creep = 0.5
  /// Metres a second at which a receiver that stood still moves at once.
  static let walk = 1.5
  /// Metres from the first position of a stay within which the others lie, at least: what receivers
  /// wander in the open. The errors of both positions widen it.
  static let radius = 30.0
  /// The radius of leaving is so many times the radius of staying.
  static let slack = 1.5
  /// Metres. A position less sure than this tells nothing of standing or moving.
  static let worstAccuracy = 100.0
  /// Seconds within ``radius`` that make a stay. A wider radius takes longer, in proportion.
  static let dwell = radius / creep
  /// Seconds without a fix after which the time before them does not count towards a stay.
  static let longestGap = 120.0
  /// Names come from outside: so many are remembered, then all are forgotten.
  static let rememberedReceivers = 256

  private struct Stay: Sendable {
    let start: Duration
    let place: Coordinate
    let accuracy: Double
    /// The widest that a fix of it allowed.
    var radius = StationaryDetector.radius
    var latest: Duration
    var isStationary = false
  }

  private var stays: [DeviceID: Stay] = [:]

  /// True when the receiver of a fix stands still.
  ///
  /// - Parameter instant: When the fix arrived, on a monotonic clock.
  mutating func observe(_ location: Location, at instant: Duration) -> Bool {
    let device = location.sourceInformation.deviceID
    if stays.count >= Self.rememberedReceivers, stays[device] == nil { stays.removeAll() }
    let stay = Self.next(stays[device], location, instant)
    stays[device] = stay
    return stay?.isStationary ?? false
  }

  /// The stay that a fix continues or begins; nil while nothing is known of it.
  private static func next(_ stay: Stay?, _ location: Location, _ instant: Duration) -> Stay? {
    let accuracy = location.horizontalAccuracy ?? 0
    guard accuracy <= worstAccuracy else {
      // Its speed may still tell of leaving; from where is not known.
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

  /// True when the speed of a fix, if it means anything, is more than a stay allows.
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
