import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct TrackDivisionTests {
  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let split: @Sendable (Track) throws -> [Track]
    /// The seconds of the points of each part; the track has points at 0, 1, 2, 3, 100, 101, 102 s.
    let parts: [[Double]]
  }

  static let scenarios = [
    Scenario(
      testDescription: "at the gap", split: { $0.split() },
      parts: [[0, 1, 2, 3], [100, 101, 102]]),
    Scenario(
      testDescription: "at no gap", split: { $0.split(atGapsOf: .seconds(98)) },
      parts: [[0, 1, 2, 3, 100, 101, 102]]),
    Scenario(
      testDescription: "every two seconds", split: { try $0.split(every: .seconds(2)) },
      parts: [[0, 1, 2], [2, 3], [100, 101, 102]]),
    Scenario(
      testDescription: "every three seconds: no part of one point",
      split: { try $0.split(every: .seconds(3)) }, parts: [[0, 1, 2, 3], [100, 101, 102]]),
    Scenario(
      testDescription: "more often than there are points",
      split: { try $0.split(every: .milliseconds(100)) },
      parts: [[0, 1], [1, 2], [2, 3], [100, 101], [101, 102]]),
    Scenario(
      testDescription: "every 2.5 metres", split: { try $0.split(everyMetres: 2.5) },
      parts: [[0, 1, 2, 3], [100, 101, 102]]),
    Scenario(
      testDescription: "every 1.6 metres: gaps have no length",
      split: { try $0.split(everyMetres: 1.6) },
      parts: [[0, 1, 2], [2, 3, 100, 101], [101, 102]]),
  ]

  static func track() throws -> Track {
    let metre = 180 / (6_378_137 * Double.pi)
    return Track(
      try [0.0, 1, 2, 3, 100, 101, 102].enumerated().map { index, seconds in
        try location(0, Double(index > 3 ? index + 100 : index) * metre, at: seconds)
      }, name: "t")
  }

  @Test(arguments: scenarios)
  func tracksAreSplit(_ scenario: Scenario) throws {
    let parts = try scenario.split(try Self.track())
    let start = 800_000_000.0
    #expect(
      parts.map { part in part.points.map { $0.location.timestampSeconds - start } }
        == scenario.parts)
    #expect(parts.allSatisfy { $0.name == "t" })
  }

  @Test func rejectsInvalidDivisions() throws {
    let track = try Self.track()
    #expect(throws: LocationError.self) { try track.split(every: .zero) }
    #expect(throws: LocationError.self) { try track.split(everyMetres: 0) }
    #expect(throws: LocationError.self) { try track.split(everyMetres: .nan) }
    #expect(try track.split(everyMetres: .infinity).count == 1)
    #expect(try Track().split(every: .seconds(1)).isEmpty)
    #expect(Track().split().isEmpty)
  }

  /// The statistics of the parts add up, and the parts merge into the whole.
  @Test(.longWork) func partsMergeIntoTheWhole() throws {
    var random = RandomTrack(seed: 3)
    for _ in 0..<60 {
      let track = try random.track()
      let whole = track.statistics()
      for parts in [
        track.split(), try track.split(every: .seconds(random.number(0.5...60))),
        try track.split(everyMetres: random.number(1...400)),
      ] {
        let statistics = parts.map { $0.statistics() }
        #expect(abs(statistics.reduce(0) { $0 + $1.length } - whole.length) < 1e-6)
        #expect(statistics.reduce(.zero) { $0 + $1.recordedTime } == whole.recordedTime)
        let merged = Track.merged(parts.shuffled(), name: "random")
        #expect(merged == track)
        #expect(merged.length == track.length)
      }
    }
  }

  @Test func mergesInTheOrderOfTime() throws {
    let first = Track([try location(0, 0, at: 0), try location(0, 1, at: 50)])
    let second = Track([try location(1, 0, at: 20), try location(1, 1, at: 30)])
    let merged = Track.merged([second, first], name: "both")
    #expect(merged.segments == first.segments + second.segments)
    #expect(merged.name == "both")
    #expect(Track.merged([]) == Track())
  }

  @Test func clips() throws {
    let track = try Self.track()
    let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
    let clipped = track.clipped(to: start + 1..<start + 101)
    #expect(
      clipped.points.map { $0.location.timestamp.timeIntervalSince(start) } == [1, 2, 3, 100])
    #expect(clipped.segments.map(\.beginning) == [.division, .interval])
    #expect(track.clipped(to: start..<start + 1000) == track)
    #expect(track.clipped(to: start + 4..<start + 5) == Track(name: "t"))
  }
}
