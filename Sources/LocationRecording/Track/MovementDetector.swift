/// Decides with hysteresis whether a track moves. Pure.
struct MovementDetector: Sendable, Hashable {
  private var isMoving = false

  /// Adds the next step, and returns whether the track moves during it.
  ///
  /// - Parameter speed: The speed in metres per second. Nil, for a step without duration, repeats
  ///   the last result.
  mutating func isMoving(at speed: Double?, _ options: TrackStatistics.Options) -> Bool {
    if let speed {
      isMoving = speed >= (isMoving ? options.standingSpeed : options.movingSpeed)
    }
    return isMoving
  }
}
