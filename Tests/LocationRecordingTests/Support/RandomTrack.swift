import AsyncLocation
import Foundation
import LocationRecording
import MockBackend

/// Returns a location at a number of seconds after 2026-05-09 06:13:20 UTC.
func location(
  _ latitude: Double, _ longitude: Double, at seconds: Double = 0, altitude: Double? = nil,
  speed: Double? = nil, device: String? = nil
) throws -> Location {
  try Location(
    latitude: latitude, longitude: longitude,
    timestamp: Date(timeIntervalSinceReferenceDate: 800_000_000 + seconds), altitude: altitude,
    speed: speed, sourceInformation: device.map { SourceInformation(device: $0) })
}

/// Tracks of a random shape, also across the antimeridian and near the poles.
struct RandomTrack {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func number(_ range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &random)
  }

  /// A wandering path of steps with a length in metres.
  mutating func path(count: Int, step: ClosedRange<Double>) throws -> [Coordinate] {
    let places = [(10.0, 20.0), (0, 179.99), (89.95, 3), (-89.99, -170), (-45, -179.999)]
    let place = places[Int.random(in: 0..<places.count, using: &random)]
    var point = try Coordinate(latitude: place.0, longitude: place.1)
    var bearing = number(0...360)
    return try (0..<count).map { _ in
      bearing += number(-40...40)
      point = try point.coordinate(atDistance: number(step), bearing: bearing)
      return point
    }
  }

  /// A track of several segments, some separated by loss, some by time. Each has at most `points`
  /// points.
  mutating func track(segments: Int = 4, points: Int = 60) throws -> Track {
    var track = Track(name: "random")
    var seconds = 0.0
    for index in 0..<segments {
      let count = Int.random(in: 1...points, using: &random)
      for (position, coordinate) in try path(count: count, step: 0...50).enumerated() {
        let beginning: TrackPoint.Beginning? =
          position > 0 ? nil : index == 0 ? .start : index.isMultiple(of: 2) ? .loss : .interval
        let value = try location(
          coordinate.latitude, coordinate.longitude, at: seconds, altitude: number(0...40),
          speed: Bool.random(using: &random) ? number(0...2) : nil)
        track.append(TrackPoint(value, beginning: beginning))
        seconds += number(0...3)
      }
      seconds += 100
    }
    return track
  }
}
