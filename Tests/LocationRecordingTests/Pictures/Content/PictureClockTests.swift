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
  func tellsRanges(_ zone: String, _ start: String, _ end: String, _ text: String) throws {
    let clock = PictureClock(zone: try LocalTimeZone(identifier: zone))
    #expect(clock.range(try Self.date(start), try Self.date(end)) == text)
  }

  /// The marks of a chart are at full hours of the zone.
  @Test func marksAreLocal() throws {
    let start = try Self.date("2026-05-04T12:00:00Z")
    let track = Track(
      try (0...6).map { step in
        try Location(
          latitude: 27.7 + Double(step) / 100, longitude: 85.3,
          timestamp: start.addingTimeInterval(Double(step) * 1800))
      })
    let zone = try LocalTimeZone(identifier: "Asia/Kathmandu")
    let svg = TrackPicture(track, options: .init(timeZone: zone)).svg()
    #expect(svg.contains(">18:00<") && svg.contains(">20:00<") && svg.contains(">time, +0545<"))
    #expect(!svg.contains("UTC"))
  }

  @Test func theAxisNamesBothZonesIfTheClockChanges() throws {
    let start = try Self.date("2026-10-25T00:30:00Z")
    let track = Track(
      try (0...4).map { step in
        try Location(
          latitude: 52 + Double(step) / 100, longitude: 13,
          timestamp: start.addingTimeInterval(Double(step) * 900))
      })
    let zone = try LocalTimeZone(identifier: "Europe/Berlin")
    let svg = TrackPicture(track, options: .init(timeZone: zone)).svg()
    #expect(svg.contains(">time, CEST to CET<"))
  }
}
