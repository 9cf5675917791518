import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import LocationRecording

/// The files of OwnTracks' recorder.
@Suite(.inTurn) struct OwnTracksReaderTests {
  @Test func readsTheRecordersLines() throws {
    let lines = [
      "2026-05-04T12:00:00Z\t*                 \t"
        + #"{"_type":"location","lat":47.5,"lon":8.5,"tst":1777896000,"alt":400,"acc":5,"vel":36,"cog":90}"#,
      "2026-05-04T12:00:01Z\tlwt               \t" + #"{"_type":"lwt","tst":1777896001}"#,
      "2026-05-04T12:00:02Z\t*                 \t"
        + #"{"_type":"location","lat":97,"lon":8.5,"tst":1}"#,
      "damaged", "",
      "2026-05-04T12:00:09Z\t*                 \t"
        + #"{"_type":"location","lat":47.6,"lon":8.5,"tst":1777896009}"#,
    ]
    let recording = try recording(lines.joined(separator: "\n"))
    #expect(recording.format == .ownTracks)
    #expect(recording.locations.map(\.coordinate.latitude) == [47.5, 47.6])
    let first = try #require(recording.locations.first)
    #expect(first.altitude == 400)
    #expect(first.horizontalAccuracy == 5)
    #expect(first.speed == 10)
    #expect(first.course == 90)
    #expect(first.timestamp.timeIntervalSince1970 == 1_777_896_000)
    #expect(recording.skipped.count == 2)
    #expect(recording.omitted.messageCount == 1)
    #expect(recording.omitted.messageKinds == ["lwt"])
  }

  /// The locations of encrypted messages cannot be read.
  @Test("F83 messages of other kinds are counted") func otherKindsAreCounted() throws {
    let others = [
      #"{"_type":"encrypted","data":"YQ=="}"#, #"{"_type":"encrypted","data":"Yg=="}"#,
      #"{"_type":"cmd","action":"dump"}"#,
      #"{"_type":"transition","wtst":1,"lat":1,"lon":2,"tst":3,"acc":4,"event":"enter","tid":"a"}"#,
    ]
    let location = #"{"_type":"location","lat":47.5,"lon":8.5,"tst":1777896000}"#
    let found = try recording((others + [location]).joined(separator: "\n"))
    #expect(found.locations.count == 1, "\(found.skipped)")
    #expect(found.skipped.isEmpty, "\(found.skipped)")
    #expect(found.omitted.messageCount == 4)
    #expect(found.omitted.messageKinds == ["encrypted", "cmd", "transition"])
  }
}
