import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct TrackPaceTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The times between the locations, in seconds.
    let intervals: [Double]
    let median: Double?
    let maximum: Double
  }

  static let rows = [
    Row(testDescription: "nothing", intervals: [], median: nil, maximum: 60),
    Row(
      testDescription: "one location a second", intervals: [1, 1, 1, 300, 1], median: 1, maximum: 60
    ),
    Row(testDescription: "just above a minute", intervals: [13, 13, 13], median: 13, maximum: 65),
    Row(
      testDescription: "one location in ten minutes", intervals: [600, 600, 9_000, 600],
      median: 600,
      maximum: 3_000),
    Row(testDescription: "the lower median of two", intervals: [1, 600], median: 1, maximum: 60),
    Row(
      testDescription: "times that do not advance are left out", intervals: [0, -5, 0, 20, 20],
      median: 20, maximum: 100),
  ]

  private static func locations(_ intervals: [Double]) throws -> [Location] {
    var seconds = 0.0
    return try [location(0, 0)]
      + intervals.map {
        seconds += $0
        return try location(0, seconds / 100_000, at: seconds)
      }
  }

  @Test(arguments: rows) func theMedianIntervalDeterminesThePace(_ row: Row) throws {
    var pace = TrackPace()
    for location in try Self.locations(row.intervals) { pace.add(location) }
    #expect(pace.medianInterval == row.median.map { .seconds($0) })
    #expect(pace.maximumInterval == .seconds(row.maximum))
  }

  @Test func theNumberOfBucketsIsBounded() throws {
    var pace = TrackPace()
    var (random, seconds) = (SplitMix64(seed: 6), 0.0)
    for _ in 0..<20_000 {
      pace.add(try location(0, 0, at: seconds))
      seconds += exp2(Double.random(in: 0...20, using: &random))
    }
    #expect(pace.buckets.count < 128 * 21)
    let median = try #require(pace.medianInterval)
    #expect(abs(median / .seconds(1) - 1_024) < 50)
  }

  /// Points every ten minutes are a track, with a length.
  @Test func aSlowRecordingHasALength() throws {
    let locations = try Self.locations([Double](repeating: 600, count: 50) + [9_000, 600])
    let track = Track(locations)
    #expect(track.segments.map(\.locations.count) == [51, 2])
    #expect(track.length > 0.9 * locations[0].distance(to: locations[50]))
    #expect(Track(locations, options: TrackOptions(maximumInterval: .seconds(60))).length == 0)
    // A segmentation has not seen later locations, so the first interval is a gap.
    var segmentation = TrackSegmentation()
    let points = locations.map { segmentation.point(for: $0) }
    #expect(points.indices.filter { points[$0].beginning != nil } == [0, 1, 51])
  }

  /// Fast locations at the beginning, or on one day, do not turn all other intervals into gaps.
  @Test func paceUsesTheWholeRecording() throws {
    let locations = try Self.locations(
      [Double](repeating: 1, count: 100) + [Double](repeating: 600, count: 200))
    #expect(Track(locations).segments.count == 1)
  }

  @Test func appendedLocationsContinueAtThePace() throws {
    let locations = try Self.locations([Double](repeating: 600, count: 60))
    var track = Track(locations[..<50])
    for location in locations[50...] { track.append(contentsOf: [location]) }
    #expect(track.segments.count == 1)
    #expect(track.pointCount == 61)
  }
}
