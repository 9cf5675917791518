import AsyncLocation
import FoundationEssentials

/// The values of a track's point that a picture shows.
struct TrackSample: Hashable, Sendable {
  var coordinate: Coordinate
  /// Seconds since the first point.
  var time: Double
  /// Metres travelled since the first point, without gaps.
  var distance: Double
  /// The speed in metres per second: the receiver's or, after a step of more than ten seconds or
  /// without a report, the length of the step divided by its time.
  var speed: Double?
  /// Metres above mean sea level.
  var altitude: Double?

  /// The samples of each segment. A division is not a gap: it begins no segment here.
  static func segments(of track: Track) -> [[Self]] {
    guard let start = track.segments.first?.locations.first else { return [] }
    var segments: [[Self]] = []
    var distance = 0.0
    for segment in track.segments {
      var samples: [Self] = []
      samples.reserveCapacity(segment.locations.count)
      if segment.beginning == .division, let open = segments.popLast() { samples = open }
      for location in segment.locations {
        var sample = Self(
          coordinate: location.coordinate, time: start.duration(to: location) / .seconds(1),
          distance: distance, speed: location.speed, altitude: location.altitude)
        if let last = samples.last {
          let step = last.coordinate.distance(to: location.coordinate)
          let time = sample.time - last.time
          distance += step
          sample.distance = distance
          if time > 10 || location.speed == nil { sample.speed = time > 0 ? step / time : nil }
        }
        samples.append(sample)
      }
      // A first point without a speed gets that of the second.
      if samples.count > 1, samples[0].speed == nil { samples[0].speed = samples[1].speed }
      segments.append(samples)
    }
    return segments
  }
}
