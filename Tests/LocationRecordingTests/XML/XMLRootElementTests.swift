import AsyncLocation
import TestSupport
import Testing

@testable import LocationRecording

/// XML is recognized by its outermost element, and read in the encoding that it declares.
@Suite(.inTurn) struct XMLRootElementTests {
  @Test(arguments: [
    ("<gpx>", XMLRootElement.name("gpx")),
    (" \n<?xml version=\"1.0\"?>\n<kml:kml a='1'", .name("kml")),
    ("<!-- <a> --><!----><kml/>", .name("kml")), ("<a\n", .name("a")),
    ("", .incomplete), ("<", .incomplete), ("<gpx", .incomplete), ("<?xml ?", .incomplete),
    ("<!-", .incomplete), ("<!-- -", .incomplete), ("<!DOCTYPE a>", .none), ("a", .none),
  ])
  func theRootElementIsFound(_ text: String, _ root: XMLRootElement) {
    #expect(XMLRootElement(Array(text.utf8)[...]) == root)
  }

  @Test(arguments: ["gpx", "kml", "TrainingCenterDatabase"])
  func theRootElementIsFoundInPieces(_ name: String) throws {
    let format: [String: RecordingFormat] = [
      "gpx": .gpx, "kml": .kml, "TrainingCenterDatabase": .tcx,
    ]
    var reader = RecordingReader()
    for byte in "<?xml version='1.0'?><!-- x --><\(name)></\(name)>".utf8 {
      _ = try reader.read([byte])
    }
    _ = try reader.finish()
    #expect(reader.format == format[name])
  }

  @Test func anUnknownEncodingNamesTheSupportedEncodings() {
    let error = #expect(throws: RecordingError.self) {
      try recording(#"<?xml version="1.0" encoding="ISO-8859-7"?><gpx/>"#)
    }
    #expect(error?.message.contains("none of UTF-8, UTF-16, US-ASCII") == true)
  }

  @Test(arguments: ["windows-1252", "CP1252"])
  func readsWindows1252(_ name: String) throws {
    let head = #"<?xml version="1.0" encoding="\#(name)"?><gpx><wpt lat="1" lon="2"><name>"#
    // “Zum Bären” for 5 €.
    var bytes = Array(head.utf8)
    bytes += [0x93] + Array("Zum B".utf8)
    bytes += [0xE4] + Array("ren".utf8)
    bytes += [0x94] + Array(" for 5 ".utf8)
    bytes += [0x80] + Array("</name></wpt></gpx>".utf8)
    #expect(try recording(bytes).waypoints.map(\.name) == ["\u{201C}Zum Bären\u{201D} for 5 €"])
  }

  @Test(
    arguments: [
      (Array("BZh9".utf8), "bzip2"),
      ([0x28, 0xB5, 0x2F, 0xFD], "Zstandard"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "xz"),
      (Array("SQLite format 3\0".utf8), "SQLite"), ([0xB5, 0x62, 1, 7, 92, 0], "UBX"),
      (
        Array("     3.04           OBSERVATION DATA    M (MIXED)           ".utf8)
          + Array("RINEX VERSION / TYPE\n".utf8), "RINEX"
      ),
      (Array("OziExplorer Track Point File Version 2.1\r\nWGS 84\r\n".utf8), "OziExplorer"),
      (Array("MsRcf\0".utf8), "MapSource"), ([0xFF, 0xD8, 0xFF, 0xE1], "JPEG"),
      ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "PNG"), (Array("%PDF-1.7".utf8), "PDF"),
      ([0x52, 0x61, 0x72, 0x21, 0x1A, 7, 1, 0], "RAR"),
      ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "7z"),
      (Array("a.gpx".utf8) + Array(repeating: 0, count: 252) + Array("ustar\u{0}00".utf8), "tar"),
      (Array("<!DOCTYPE html>\n<html lang=\"en\"><head></head></html>".utf8), "HTML"),
      (Array("\n<HTML><body></body></HTML>".utf8), "HTML"),
    ] as [([UInt8], String)])
  func unsupportedFormatsAreNamed(_ bytes: [UInt8], _ name: String) {
    let error = #expect(throws: RecordingError.self) { try recording(bytes) }
    #expect(error?.code == .unknownFormat)
    #expect(error?.message.contains(name) == true)
  }

  /// Strava's export of all activities begins with spaces, which XML forbids.
  @Test(
    "F83 white space before the declaration is left out",
    arguments: [
      ("          ", 1, 10), ("\n", 2, 0), (" \r\n\r\n  ", 3, 2), ("\r\r ", 3, 1),
      (String(repeating: " ", count: 4_100) + "\n", 2, 0),
    ])
  func spaceBeforeTheDeclarationIsLeftOut(space: String, line: Int, column: Int) throws {
    let documents = [
      TCXTests.activity(TCXTests.lap([TCXTests.point(1)])),
      GPXReaderTests.track(#"<trkpt lat="1" lon="2"/>"#),
      KMLTests.document(KMLTests.line(["1,2"])),
    ]
    for document in documents {
      let whole = try recording(document)
      #expect(whole.locations.count == 1)
      for length in [1, 7, 100_000] {
        var reader = RecordingReader(options: RecordingOptions(start: start))
        var events: [TimedEvent] = []
        for piece in Array((space + document).utf8).pieces(of: length) {
          events += try reader.read(piece)
        }
        events += try reader.finish()
        #expect(events == whole.events)
      }
    }
    // Errors state their position in the file.
    let error = #expect(throws: RecordingError.self) {
      try recording(space + "<gpx><a></b></gpx>")
    }
    #expect(error?.line == line)
    let errorWithoutSpace = #expect(throws: RecordingError.self) {
      try recording("<gpx><a></b></gpx>")
    }
    #expect(error?.column == errorWithoutSpace?.column.map { $0 + column })
  }
}
