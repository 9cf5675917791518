import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct TrackTests {
  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var options = TrackOptions()
    /// Seconds and longitudes; nil for a report that there is no fix.
    let events: [(seconds: Double, longitude: Double)?]
    /// The beginning and the number of points of each segment.
    let segments: [(TrackPoint.Beginning, Int)]
  }

  static let scenarios = [
    Scenario(testDescription: "nothing", events: [], segments: []),
    Scenario(
      testDescription: "one location", events: [(0, 0)], segments: [(.start, 1)]),
    Scenario(
      testDescription: "the longest interval is within a segment",
      options: TrackOptions(maximumInterval: .seconds(60)),
      events: [(0, 0), (60, 0), (120.001, 0)], segments: [(.start, 2), (.interval, 1)]),
    Scenario(
      testDescription: "equal times are no gap", events: [(0, 0), (0, 1)],
      segments: [(.start, 2)]),
    Scenario(
      testDescription: "a time that goes back begins a segment",
      events: [(5, 0), (4.999, 0), (5, 0)], segments: [(.start, 1), (.earlierTime, 2)]),
    Scenario(
      testDescription: "a loss interrupts, however short", events: [(0, 0), nil, nil, (1, 0)],
      segments: [(.start, 1), (.loss, 1)]),
    Scenario(
      testDescription: "a loss before the first location is none", events: [nil, (1, 0), (2, 0)],
      segments: [(.start, 2)]),
    Scenario(
      testDescription: "a jump, if a distance is set",
      options: TrackOptions(maximumDistance: 200_000),
      events: [(0, 0), (1, 1), (2, 3)], segments: [(.start, 2), (.distance, 1)]),
    Scenario(
      testDescription: "a shorter interval", options: TrackOptions(maximumInterval: .seconds(2)),
      events: [(0, 0), (2, 0), (4.5, 0)], segments: [(.start, 2), (.interval, 1)]),
  ]

  static func events(_ scenario: Scenario) throws -> [BackendEvent] {
    try scenario.events.map { event in
      guard let event else { return .unavailable(LocationError(.locationUnknown, "no fix")) }
      return .location(try location(0, event.longitude, at: event.seconds))
    }
  }

  @Test(arguments: scenarios)
  func interruptionsBeginSegments(_ scenario: Scenario) throws {
    var segmentation = TrackSegmentation(scenario.options)
    var track = Track()
    for event in try Self.events(scenario) {
      if let point = segmentation.point(for: event) { track.append(point) }
    }
    #expect(track.segments.map(\.beginning) == scenario.segments.map(\.0))
    #expect(track.segments.map(\.locations.count) == scenario.segments.map(\.1))
  }

  @Test func followsOneReceiver() throws {
    let text = """
      time,lat,lon,device
      2026-05-04T03:02:01Z,1,2,/dev/a
      2026-05-04T03:02:01Z,3,4,/dev/b
      2026-05-04T03:02:02Z,1,2,/dev/a
      """
    let recording = try Recording(Array(text.utf8))
    #expect(Track(recording).pointCount == 3)
    let track = Track(recording, options: TrackOptions(device: "/dev/b"))
    #expect(track.segments.map(\.locations) == [[recording.locations[1]]])
  }

  @Test func appendsToExistingPoints() throws {
    let locations = try [0.0, 1, 2, 90, 91].map { try location(0, $0 / 1000, at: $0) }
    var track = Track(locations.prefix(2))
    track.append(contentsOf: locations.dropFirst(2))
    #expect(track == Track(locations))
    #expect(Track(locations).segments.map(\.beginning) == [.start, .interval])
    // An appended point with an earlier time begins a segment.
    track.append(TrackPoint(locations[0]))
    #expect(track.segments.last?.beginning == .earlierTime)
    #expect(Array(track.points).map(\.location) == locations + [locations[0]])
  }

  @Test func reportsGaps() throws {
    var track = Track(
      [try location(0, 0), try location(0, 1, at: 100)],
      options: TrackOptions(maximumInterval: .seconds(60)))
    track.append(TrackPoint(try location(0, 2, at: 101), beginning: .division))
    let gaps = track.gaps
    #expect(gaps.map(\.reason) == [.interval])
    #expect(gaps.first?.duration == .seconds(100))
    #expect(abs((gaps.first?.distance ?? 0) - 111_319.490793) < 1e-6)
    #expect(track.statistics().gapCount == 1)
    #expect(track.statistics().segmentCount == 3)
  }

  @Test func printsNoCoordinates() throws {
    let track = Track([try location(1, 2)], name: "a\u{1B}[31m")
    #expect("\(track)" == #"Track(name: "a\u{1b}[31m", segments: 1, points: 1)"#)
    #expect(
      "\(track.segments[0])"
        == "Segment(beginning: start, points: 1, start: 2026-05-09T06:13:20.000Z, "
        + "end: 2026-05-09T06:13:20.000Z)")
  }
}
