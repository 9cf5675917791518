import AsyncLocation
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct StopDetectorTests {
  /// Returns the samples of stays at places a kilometre apart, one sample a second. Each stay is
  /// given by its number of samples.
  private static func samples(_ stays: [Int]) throws -> [TrackSample] {
    var time = 0.0
    return try stays.enumerated().flatMap { index, count in
      try (0..<count).map { number in
        defer { time += 1 }
        let noise = Double(number % 3) * 0.000_05
        return TrackSample(
          coordinate: try Coordinate(latitude: 10 + noise, longitude: 20 + 0.01 * Double(index)),
          time: time, distance: 0)
      }
    }
  }

  @Test(
    arguments: [
      ([181], [180.0]), ([180], []), ([1, 1, 1, 400, 1, 1], [399]), ([200, 1, 300], [199, 299]),
      ([], []),
    ] as [([Int], [Double])])
  func findsStays(_ stays: [Int], _ durations: [Double]) throws {
    let stops = StopDetector(leastDuration: 180).stops(try Self.samples(stays))
    #expect(stops.map(\.duration) == durations)
  }

  @Test func aGapIsPartOfAStay() throws {
    var samples = try Self.samples([20])
    for index in 10..<20 { samples[index].time += 3600 }
    #expect(StopDetector(leastDuration: 180).stops(samples).map(\.duration) == [3619])
  }

  @Test func aTimeThatGoesBackDividesAStay() throws {
    var samples = try Self.samples([400])
    for index in 200..<400 { samples[index].time -= 1000 }
    #expect(StopDetector(leastDuration: 180).stops(samples).map(\.duration) == [199, 199])
  }
}
