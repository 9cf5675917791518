/// Decides with hysteresis whether a track moves. Pure.
struct MovementDetector: Sendable, Hashable {
  private var isMoving = false

  /// Whether the track moves during a step with a speed in metres per second; nil for a step that
  /// takes no time, which changes nothing.
  mutating func isMoving(at speed: Double?, _ options: TrackStatistics.Options) -> Bool {
    if let speed {
      isMoving = speed >= (isMoving ? options.standingSpeed : options.movingSpeed)
    }
    return isMoving
  }
}
