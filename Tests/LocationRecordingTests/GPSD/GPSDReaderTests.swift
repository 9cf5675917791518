import AsyncLocation
import FoundationEssentials
import GPSDReports
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct GPSDReaderTests {
  static let lines = [
    #"{"class":"VERSION","release":"3.22","proto_major":3,"proto_minor":14}"#,
    #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-05-04T12:00:00.000Z","lat":1,"lon":2}"#,
    #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-05-04T12:00:00.000Z","lat":1,"lon":2,"speed":30}"#,
    #"{"class":"SKY","device":"/dev/a","hdop":1.5,"satellites":[{"PRN":5,"used":true}]}"#,
    #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-05-04T12:00:01.000Z","lat":1.5,"lon":2}"#,
    #"{"class":"TPV","device":"/dev/a","mode":1}"#,
  ]

  @Test func anEpochIsOneLocation() throws {
    let recording = try recording(Self.lines.joined(separator: "\n"))
    #expect(recording.format == .gpsd)
    #expect(recording.pointKind == .track)
    #expect(recording.locations.map(\.latitude) == [1, 1.5])
    #expect(recording.locations.map(\.speed) == [30, nil])
    #expect(recording.locations.allSatisfy { $0.sourceInformation?.isSimulated == true })
    #expect(recording.locations.allSatisfy { $0.sourceInformation?.device == "/dev/a" })
    #expect(recording.locations.last?.gnss?.dilutionOfPrecision?.horizontal == 1.5)
    #expect(recording.events.map(\.offset).last == .seconds(1))
    guard case .unavailable? = recording.events.last?.event else {
      Issue.record("the loss of the fix is missing")
      return
    }
  }

  @Test func ignoresTextBeforeAReport() throws {
    let text = Self.lines.map { "1777888800.1: " + $0 }.joined(separator: "\r\n")
    #expect(try recording(text).locations.count == 2)
    let mixed = "$GPGGA,1,2\n" + Self.lines.joined(separator: "\n$GPRMC,{\"class\"\n")
    #expect(try recording(mixed).locations.count == 2)
  }

  @Test func countsInvalidPositions() throws {
    let positions = [#""lat":147.3,"lon":8"#, #""lat":"47","lon":8"#, #""lat":47,"lon":8"#, ""]
    let lines = positions.enumerated().map { index, position in
      #"{"class":"TPV","mode":3,"time":"2026-05-04T10:00:0\#(index)Z""#
        + (position.isEmpty ? "}" : ",\(position)}")
    }
    let recording = try recording(lines.joined(separator: "\n"))
    #expect(recording.locations.count == 1)
    #expect(recording.skipped.parts.map(\.line) == [1, 2])
  }

  @Test func countsInvalidLines() throws {
    let lines = [
      Self.lines[1], #"{"class":"TPV","lat":}"#, #"{"lat":1}"#, "{", "noise", "# a comment", "",
      Self.lines[4],
    ]
    let recording = try recording(lines.joined(separator: "\n"))
    #expect(recording.locations.count == 2)
    #expect(recording.skipped.parts.map(\.line) == [2, 3, 4, 5])
  }

  /// Reports without a time follow each other at the default pace.
  @Test func pacesReportsWithoutTimes() throws {
    let line = #"{"class":"TPV","device":"/dev/a","mode":2,"lat":1,"lon":2}"#
    let recording = try recording("\(line)\n\(line)\n\(line)\n")
    #expect(recording.times == [nil, nil, nil])
    #expect(recording.locations.map(\.timestamp) == [start, start + 1, start + 2])
  }

  @Test(.longWork, .needsCorpus) func outputsOfTheCorpusHaveNoSkippedParts() throws {
    for (name, _, reports) in try Corpus.recordings() {
      guard let recording = try? Recording(reports) else { continue }
      #expect(recording.skipped.isEmpty, "\(name): \(recording.skipped)")
      let offsets = recording.events.map(\.offset)
      #expect(zip(offsets, offsets.dropFirst()).allSatisfy { $0 <= $1 }, "\(name)")
    }
  }
}
