import AsyncLocation
import LocationRecording

/// Divides a track that is read in parts into segments. Without a maximum interval in the options,
/// the first locations are held until their pace is known, which determines the interval. Pure.
struct PacedSegmentation {
  private let options: TrackOptions
  /// Nil while the pace is not known.
  private var segmentation: TrackSegmentation?
  private var held: [(event: BackendEvent, sensors: SensorReadings?)] = []
  private var locationCount = 0

  init(_ options: TrackOptions) {
    self.options = options
    if options.maximumInterval != nil { segmentation = TrackSegmentation(options) }
  }

  /// Adds an event, and returns the points that are available after it.
  ///
  /// - Parameter sensors: The readings of other sensors at the time of the event.
  mutating func points(for event: BackendEvent, _ sensors: SensorReadings?) -> [TrackPoint] {
    if segmentation != nil { return segmentation?.point(for: event, sensors).map { [$0] } ?? [] }
    switch event {
    case .location(let location) where options.isFollowed(location):
      held.append((event, sensors))
      locationCount += 1
    case .unavailable where !endsWithLoss: held.append((event, nil))
    default: break
    }
    return locationCount < TrackPace.locationCount ? [] : finish()
  }

  /// Whether the last held event is a loss of the fix. A second loss in a row has no effect.
  private var endsWithLoss: Bool {
    if case .unavailable? = held.last?.event { true } else { false }
  }

  /// Divides the held events by their pace, and returns their points. Called when the pace is known
  /// and at the end of the recording.
  mutating func finish() -> [TrackPoint] {
    guard segmentation == nil else { return [] }
    let locations = held.lazy.compactMap { event, _ in
      if case .location(let location) = event { location } else { nil }
    }
    var segmentation = TrackSegmentation(options.fitting(locations))
    defer { (self.segmentation, held) = (segmentation, []) }
    return held.compactMap { segmentation.point(for: $0.event, $0.sensors) }
  }
}

extension TrackSegmentation {
  fileprivate mutating func point(
    for event: BackendEvent, _ sensors: SensorReadings?
  ) -> TrackPoint? {
    var point = point(for: event)
    point?.sensors = sensors
    return point
  }
}
