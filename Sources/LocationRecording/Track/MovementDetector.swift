/// Decides with hysteresis whether a track moves. Pure.
struct MovementDetector: Sendable, Hashable {
  private var isMoving = false

  /// Whether the track moves during a step with a speed in metres per second. A nil speed, for a
  /// step without duration, changes nothing.
  mutating func isMoving(at speed: Double?, _ options: TrackStatistics.Options) -> Bool {
    if let speed {
      isMoving = speed >= (isMoving ? options.standingSpeed : options.movingSpeed)
    }
    return isMoving
  }
}
