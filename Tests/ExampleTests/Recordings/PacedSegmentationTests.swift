import AsyncLocation
import FoundationEssentials
import LocationRecording
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct PacedSegmentationTests {
  private static func location(_ second: Int, device: String = "a") throws -> BackendEvent {
    .location(
      try Location(
        latitude: 0, longitude: Double(second) / 1e6,
        timestamp: Date(timeIntervalSinceReferenceDate: Double(second)),
        sourceInformation: SourceInformation(device: device)))
  }

  private static let loss = BackendEvent.unavailable(LocationError(.locationUnknown, "No fix."))

  private static func beginnings(
    _ events: [BackendEvent], _ options: TrackOptions = TrackOptions()
  ) -> [TrackPoint.Beginning?] {
    var segmentation = PacedSegmentation(options)
    var points = events.flatMap { segmentation.points(for: $0, nil) }
    points += segmentation.finish()
    return points.map(\.beginning)
  }

  @Test func wholeRecordingDeterminesThePace() throws {
    // The recording begins with short intervals: the longer intervals later are not gaps.
    let seconds = Array(0..<10) + (1...20).map { $0 * 600 }
    let found = Self.beginnings(try seconds.map { try Self.location($0) })
    #expect(found == [.start] + [TrackPoint.Beginning?](repeating: nil, count: 29))
  }

  @Test func lossesAndOtherReceiversDivideAsInATrack() throws {
    let events = try [
      Self.loss, Self.location(0), Self.location(1, device: "b"), Self.loss, Self.loss,
      Self.location(2), Self.location(3), Self.location(300),
    ]
    let found = Self.beginnings(events, TrackOptions(device: "a"))
    #expect(found == [.start, .loss, nil, .interval])
  }

  @Test func explicitIntervalHoldsNoPoints() throws {
    var segmentation = PacedSegmentation(TrackOptions(maximumInterval: .seconds(5)))
    #expect(segmentation.points(for: try Self.location(0), nil).count == 1)
    #expect(segmentation.points(for: try Self.location(9), nil).map(\.beginning) == [.interval])
    #expect(segmentation.finish().isEmpty)
  }

  /// The number of held locations is limited, and they keep their sensor readings.
  @Test func theFirstLocationsAreHeld() throws {
    var segmentation = PacedSegmentation(TrackOptions())
    let readings = try SensorReadings(heartRate: 100)
    var count = 0
    for second in 0..<TrackPace.locationCount {
      let points = segmentation.points(for: try Self.location(second), readings)
      #expect(points.allSatisfy { $0.sensors == readings })
      count += points.count
      let isLast = second == TrackPace.locationCount - 1
      #expect(count == (isLast ? TrackPace.locationCount : 0))
    }
    #expect(
      segmentation.points(for: try Self.location(20_000), nil).map(\.beginning) == [.interval])
  }
}
