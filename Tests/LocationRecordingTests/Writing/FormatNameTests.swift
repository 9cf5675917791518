import TestSupport
import Testing

@testable import LocationRecording

@Suite("Names of formats", .inTurn)
struct FormatNameTests {
  @Test("each format is found by its name", arguments: RecordingWriter.Format.allCases)
  func names(_ format: RecordingWriter.Format) {
    #expect(RecordingWriter.Format(name: format.name) == format)
    #expect(RecordingWriter.Format(name: format.name.uppercased()) == format)
  }

  @Test("no two formats share a name or extension, and each is listed")
  func namesAreUnique() {
    let written = RecordingWriter.Format.allCases
    #expect(
      written.map(\.name) == [
        "gpx", "kml", "geojson", "geojson-lines", "geojsonseq", "geojsonl", "csv", "gpsd",
        "locations",
      ])
    let extensions = written.flatMap(\.extensions)
    #expect(Set(extensions).count == extensions.count)
    #expect(
      RecordingFormat.all.map(\.description) == [
        "GPX", "KML", "TCX", "FIT", "IGC", "NMEA 0183", "gpsd JSON", "GeoJSON", "OwnTracks",
        "Google location history", "location JSON", "CSV",
      ])
  }

  @Test(
    "a file's name determines the format",
    arguments: [
      ("a.gpx", .gpx), ("a.b.GPX", .gpx), ("/x.csv/a.kml", .kml), ("a.geojson", .geoJSON),
      ("a.json", .geoJSON), ("a.geojsons", .geoJSONSequence), ("a.ndjson", .geoJSONLines),
      ("a.csv", .csv), (".jsonl", .gpsd), ("a", nil), ("", nil), ("a.", nil), ("gpx", nil),
      ("a.txt", nil),
    ] as [(String, RecordingWriter.Format?)])
  func files(_ name: String, _ format: RecordingWriter.Format?) {
    #expect(RecordingWriter.Format(fileName: name) == format)
  }

  @Test("other names are refused", arguments: ["", "gpx ", "nmea", "GPX 1.1"])
  func unknown(_ name: String) { #expect(RecordingWriter.Format(name: name) == nil) }
}
