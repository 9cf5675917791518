import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct PictureClockTests {
  private static func date(_ text: String) throws -> Date {
    try #require(try? Date(text, strategy: .iso8601))
  }

  @Test(arguments: [
    ("UTC", "2026-05-04T12:00:00Z", "2026-05-04T12:10:00Z", "2026-05-04 12:00:00 – 12:10:00 UTC"),
    (
      "Europe/Berlin", "2026-05-04T21:50:00Z", "2026-05-04T22:10:00Z",
      "2026-05-04 23:50:00 – 2026-05-05 00:10:00 CEST"
    ),
    // The clock is set back.
    (
      "Europe/Berlin", "2026-10-25T00:50:00Z", "2026-10-25T01:10:00Z",
      "2026-10-25 02:50:00 CEST – 02:10:00 CET"
    ),
    (
      "America/St_Johns", "2026-01-01T03:00:00Z", "2026-01-01T03:40:00Z",
      "2025-12-31 23:30:00 – 2026-01-01 00:10:00 NST"
    ),
  ])
  func formatsRanges(zone: String, start: String, end: String, text: String) throws {
    let clock = PictureClock(zone: try LocalTimeZone(identifier: zone))
    #expect(clock.range(try Self.date(start), try Self.date(end)) == text)
  }

  /// Returns the picture of a track to the north, with a location every `seconds`.
  private static func picture(
    from start: String, latitude: Double, longitude: Double, steps: Int, seconds: Double,
    zone: String
  ) throws -> String {
    let start = try date(start)
    let track = Track(
      try (0...steps).map { step in
        try Location(
          latitude: latitude + Double(step) / 100, longitude: longitude,
          timestamp: start.addingTimeInterval(Double(step) * seconds))
      })
    let zone = try LocalTimeZone(identifier: zone)
    return TrackPicture(track, options: .init(timeZone: zone)).svg()
  }

  @Test func marksAreAtFullHoursOfTheZone() throws {
    let svg = try Self.picture(
      from: "2026-05-04T12:00:00Z", latitude: 27.7, longitude: 85.3, steps: 6, seconds: 1800,
      zone: "Asia/Kathmandu")
    #expect(svg.contains(">18:00<"))
    #expect(svg.contains(">20:00<"))
    #expect(svg.contains(">time, +0545<"))
    #expect(!svg.contains("UTC"))
  }

  @Test func theAxisNamesBothZonesIfTheClockChanges() throws {
    let svg = try Self.picture(
      from: "2026-10-25T00:30:00Z", latitude: 52, longitude: 13, steps: 4, seconds: 900,
      zone: "Europe/Berlin")
    #expect(svg.contains(">time, CEST to CET<"))
  }
}
