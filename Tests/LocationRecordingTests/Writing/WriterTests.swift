import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

/// The output of the writers, byte by byte.
@Suite(.inTurn) struct WriterTests {
  struct Scenario: CustomTestStringConvertible, Sendable {
    var testDescription: String { format.description }
    let format: RecordingWriter.Format
    let text: String
  }

  /// Two segments, of two points and of one. The first point has many values, and the others have
  /// few.
  static func track() throws -> Track {
    let date = Date(timeIntervalSince1970: 1_777_863_721)
    let first = try Location(
      latitude: 47.5, longitude: 180, timestamp: date, altitude: 431, horizontalAccuracy: 2.5,
      speed: 1.25, course: 270, sourceInformation: SourceInformation(device: "/dev/a,b"),
      gnss: GNSSFix(mode: .threeDimensional, status: .rtkFixed, magneticVariation: -3.5))
    let second = try Location(
      latitude: 47.6, longitude: 179.5, timestamp: date + 0.25, altitude: 1e-7)
    let third = try Location(latitude: 48, longitude: -1e-5, timestamp: date + 100)
    var track = Track(name: "A & B")
    track.append(contentsOf: [first, second, third])
    return track
  }

  static let scenarios = [
    Scenario(
      format: .gpx,
      text: """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="AsyncLocation" xmlns="http://www.topografix.com/GPX/1/1" \
        xmlns:al="urn:x-async-location:gpx:1" \
        xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v1">
        <trk>
        <name>A &amp; B</name>
        <trkseg>
        <trkpt lat="47.5" lon="-180"><ele>431</ele><time>2026-05-04T03:02:01.000Z</time>\
        <magvar>356.5</magvar><fix>3d</fix><extensions>\
        <al:horizontalAccuracy>2.5</al:horizontalAccuracy><al:speed>1.25</al:speed>\
        <al:course>270</al:course><al:device>/dev/a,b</al:device><al:status>rtkFixed</al:status>\
        <al:magneticVariation>-3.5</al:magneticVariation></extensions></trkpt>
        <trkpt lat="47.6" lon="179.5"><ele>0.0000001</ele><time>2026-05-04T03:02:01.250Z</time></trkpt>
        </trkseg>
        <trkseg>
        <trkpt lat="48" lon="-0.00001"><time>2026-05-04T03:03:41.000Z</time></trkpt>
        </trkseg>
        </trk>
        </gpx>

        """),
    Scenario(
      format: .kml,
      text: """
        <?xml version="1.0" encoding="UTF-8"?>
        <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
        <Document>
        <name>A &amp; B</name>
        <Placemark>
        <ExtendedData>
        <Data name="segment"><value>1</value>
        </Data>
        </ExtendedData>
        <gx:Track>
        <altitudeMode>absolute</altitudeMode>
        <when>2026-05-04T03:02:01.000Z</when>
        <when>2026-05-04T03:02:01.250Z</when>
        <gx:coord>180 47.5 431</gx:coord>
        <gx:coord>179.5 47.6 1e-07</gx:coord>
        </gx:Track>
        </Placemark>
        <Placemark>
        <ExtendedData>
        <Data name="segment"><value>2</value>
        </Data>
        </ExtendedData>
        <gx:Track>
        <altitudeMode>clampToGround</altitudeMode>
        <when>2026-05-04T03:03:41.000Z</when>
        <gx:coord>-1e-05 48 0</gx:coord>
        </gx:Track>
        </Placemark>
        </Document>
        </kml>

        """),
    Scenario(
      format: .geoJSONTrack,
      text: """
        {"type":"FeatureCollection","name":"A & B","features":[
        {"type":"Feature","geometry":{"type":"LineString",\
        "coordinates":[[180,47.5,431],[179.5,47.6,1e-07]]},"properties":{"segment":1,\
        "times":["2026-05-04T03:02:01.000Z","2026-05-04T03:02:01.250Z"]}},
        {"type":"Feature","geometry":{"type":"Point","coordinates":[-1e-05,48]},\
        "properties":{"segment":2,"timestamp":"2026-05-04T03:03:41.000Z"}}
        ]}

        """),
    Scenario(
      format: .geoJSONLines,
      text: """
        {"type":"Feature","geometry":{"type":"Point","coordinates":[180,47.5,431]},"properties":\
        {"segment":1,"timestamp":"2026-05-04T03:02:01.000Z","horizontalAccuracy":2.5,\
        "speed":1.25,"course":270,"device":"/dev/a,b","mode":"3D","status":"rtkFixed",\
        "magneticVariation":-3.5}}
        {"type":"Feature","geometry":{"type":"Point","coordinates":[179.5,47.6,1e-07]},\
        "properties":{"segment":1,"timestamp":"2026-05-04T03:02:01.250Z"}}
        {"type":"Feature","geometry":{"type":"Point","coordinates":[-1e-05,48]},\
        "properties":{"segment":2,"timestamp":"2026-05-04T03:03:41.000Z"}}

        """),
    Scenario(
      format: .csv,
      text: """
        timestamp,latitude,longitude,ellipsoidalAltitude,altitude,horizontalAccuracy,\
        verticalAccuracy,speedAccuracy,speed,courseAccuracy,course,climb,floor,device,\
        satellitesVisible,mode,status,hdop,vdop,pdop,satellitesUsed,magneticVariation,\
        geoidSeparation,differentialAge,differentialStation,heartRate,cadence,power,\
        waterTemperature,airTemperature,depth,segment,lost
        2026-05-04T03:02:01.000Z,47.5,180,,431,2.5,,,1.25,,270,,,"/dev/a,b",,3D,rtkFixed,,,,,\
        -3.5,,,,,,,,,,1,
        2026-05-04T03:02:01.250Z,47.6,179.5,,1e-07,,,,,,,,,,,,,,,,,,,,,,,,,,,1,
        2026-05-04T03:03:41.000Z,48,-1e-05,,,,,,,,,,,,,,,,,,,,,,,,,,,,,2,

        """),
    Scenario(
      format: .gpsd,
      text: """
        {"class":"TPV","device":"/dev/a,b","status":3,"mode":3,"time":"2026-05-04T03:02:01.000Z",\
        "lat":47.5,"lon":180,"altMSL":431,"alt":431,"track":270,"magvar":-3.5,"speed":1.25,\
        "eph":2.5}
        {"class":"TPV","mode":3,"time":"2026-05-04T03:02:01.250Z","lat":47.6,"lon":179.5,\
        "altMSL":1e-07,"alt":1e-07}
        {"class":"TPV","mode":1}
        {"class":"TPV","mode":2,"time":"2026-05-04T03:03:41.000Z","lat":48,"lon":-1e-05}

        """),
  ]

  @Test(arguments: scenarios)
  func writes(_ scenario: Scenario) throws {
    let text = String(decoding: try Self.track().encoded(as: scenario.format), as: UTF8.self)
    #expect(text == scenario.text)
  }

  @Test(arguments: RecordingWriter.Format.allCases)
  func piecesJoinToTheWholeText(_ format: RecordingWriter.Format) throws {
    let track = try Self.track()
    var writer = RecordingWriter(format: format, name: track.name)
    var pieces = track.points.map { writer.write($0) }
    #expect(writer.replacedCharacterCount == 0)
    pieces.append(writer.finish())
    #expect(Array(pieces.joined()) == track.encoded(as: format))
    // Each point is written at once, unless a format holds back its second part.
    #expect(pieces.filter(\.isEmpty).count <= 1 || format == .geoJSONTrack)
  }

  @Test(arguments: RecordingWriter.Format.allCases)
  func anEmptyTrackIsAValidRecording(_ format: RecordingWriter.Format) throws {
    let bytes = Track().encoded(as: format)
    guard !bytes.isEmpty, format != .kml, format != .geoJSONSequence else { return }
    #expect(try Recording(bytes).locations.isEmpty)
  }

  /// Another line of the same segment begins after 65,536 points.
  @Test(.longWork, arguments: [RecordingWriter.Format.kml, .geoJSONTrack])
  func longLinesAreDividedToBoundMemory(_ format: RecordingWriter.Format) throws {
    var writer = RecordingWriter(format: format)
    var lines = 0
    let mark = format == .kml ? "<gx:Track>" : "LineString"
    for index in 0..<DeferredTexts.capacity + 2 {
      let point = TrackPoint(try location(1, 2, at: Double(index)))
      if String(decoding: writer.write(point), as: UTF8.self).contains(mark) { lines += 1 }
    }
    #expect(lines == 2)
    _ = writer.finish()
  }

  @Test func linesEndAtTheAntimeridian() throws {
    let track = Track(
      try [179.8, 179.9, -179.9, -179.8].enumerated().map {
        try location(0, $1, at: Double($0))
      })
    let recording = try Recording(track.encoded(as: .geoJSONTrack))
    let text = String(decoding: track.encoded(as: .geoJSONTrack), as: UTF8.self)
    #expect(text.components(separatedBy: "LineString").count == 3)
    #expect(Track(recording).segments.count == 1)
  }

  @Test("F59 hostile names leave no element, attribute or control byte")
  func hostileNames() throws {
    let name = "</name><script>\"'\u{1B}]0;x\u{7}\u{202E}\u{9B}\n,=1+1"
    for format in RecordingWriter.Format.allCases {
      var writer = RecordingWriter(format: format, name: name)
      let value = try location(1, 2, device: name)
      var bytes = writer.write(TrackPoint(value))
      let replaced = writer.replacedCharacterCount
      bytes += writer.finish()
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(!text.contains("<script") || format == .csv)
      let isControl = text.unicodeScalars.contains {
        $0.properties.generalCategory == .format
          || $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\u{1E}"
      }
      #expect(!isControl, "\(format)")
      switch format {
      case .gpx: #expect(replaced == 4)
      case .kml: #expect(replaced == 2)
      case .csv: #expect(replaced == 5)
      default: #expect(replaced == 0)
      }
      guard format != .kml else { continue }
      let recording = try Recording(bytes)
      #expect(recording.locations.count == 1)
    }
  }
}
