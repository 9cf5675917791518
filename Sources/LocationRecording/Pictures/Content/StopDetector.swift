import AsyncLocation

/// Finds the places where a track stayed within a small circle for at least a duration. Pure.
///
/// A gap within a stay is a part of the stay: the receiver may be switched off while it stands
/// still.
struct StopDetector: Sendable {
  struct Stop: Hashable, Sendable {
    /// The coordinate of the middle sample.
    let place: Coordinate
    /// Seconds since the first point of the track.
    let start: Double
    let end: Double

    var duration: Double { end - start }
  }

  /// The greatest distance from the first sample of a stay, in metres.
  static let radius = 30.0

  /// The least duration in seconds.
  let leastDuration: Double

  /// The stops, in order. Takes time proportional to the number of samples.
  func stops(_ samples: some Sequence<TrackSample>) -> [Stop] {
    var stops: [Stop] = []
    var stay: [TrackSample] = []
    func close() {
      guard let first = stay.first, let last = stay.last,
        last.time - first.time >= leastDuration
      else { return }
      stops.append(
        Stop(place: stay[stay.count / 2].coordinate, start: first.time, end: last.time))
    }
    for sample in samples {
      if let anchor = stay.first,
        anchor.coordinate.distance(to: sample.coordinate) > Self.radius || sample.time < anchor.time
      {
        close()
        stay.removeAll(keepingCapacity: true)
      }
      stay.append(sample)
    }
    close()
    return stops
  }
}
