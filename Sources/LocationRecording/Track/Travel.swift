import AsyncLocation

/// The travel of a track, added up step by step. Pure, and of constant size.
struct Travel: Sendable, Hashable {
  /// The time in which the track moves.
  private(set) var movingTime = Duration.zero
  /// The length of the steps in which the track moves, in metres.
  private(set) var movingLength = 0.0
  /// The sums of the complete segments.
  private var finished = AltitudeChange.Sums()
  /// The rises and descents of the current segment.
  private var change: AltitudeChange
  private let hysteresis: Double

  /// - Parameter hysteresis: The hysteresis of altitudes in metres.
  init(altitudeHysteresis hysteresis: Double) {
    (change, self.hysteresis) = (AltitudeChange(hysteresis: hysteresis), hysteresis)
  }

  /// All rises and descents, in metres.
  var climbed: AltitudeChange.Sums {
    AltitudeChange.Sums(up: finished.up + change.sums.up, down: finished.down + change.sums.down)
  }

  /// Begins a segment at an altitude in metres, if it is known.
  mutating func beginSegment(at altitude: Double?) {
    finished = climbed
    change = AltitudeChange(hysteresis: hysteresis)
    if let altitude { change.add(altitude) }
  }

  mutating func add(_ step: TrackStep) {
    if step.isMoving {
      movingTime += step.time
      movingLength += step.length
    }
    if let altitude = step.end.altitude { change.add(altitude) }
  }
}

/// A step from one location of a segment to the next.
struct TrackStep {
  let end: Location
  /// The length in metres.
  let length: Double
  let time: Duration
  /// Whether the track moves during the step, by `MovementDetector`.
  let isMoving: Bool
}
