import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import LocationRecording

/// The values that programs and watches write into the extensions of points.
@Suite(.inTurn) struct GPXExtensionTests {
  private static let garmin = "http://www.garmin.com/xmlschemas/TrackPointExtension/"

  private static func point(_ extensions: String) -> String {
    GPXReaderTests.track(
      """
      <trkpt lat="1" lon="2"><time>2026-05-04T12:00:00Z</time><extensions>\(extensions)</extensions></trkpt>
      """)
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let extensions: String
    let readings: SensorReadings?
    var speed: Double?
    var course: Double?
    var omitted: [String] = []
  }

  static func scenarios() throws -> [Scenario] {
    [
      Scenario(
        testDescription: "Garmin's, version 1",
        extensions: """
          <gpxtpx:TrackPointExtension xmlns:gpxtpx="\(garmin)v1"><gpxtpx:atemp>21.5</gpxtpx:atemp>
          <gpxtpx:wtemp>-1</gpxtpx:wtemp><gpxtpx:depth>3.25</gpxtpx:depth><gpxtpx:hr>143</gpxtpx:hr>
          <gpxtpx:cad>88</gpxtpx:cad></gpxtpx:TrackPointExtension>
          """,
        readings: try SensorReadings(
          heartRate: 143, cadence: 88, airTemperature: 21.5, waterTemperature: -1, depth: 3.25)),
      Scenario(
        testDescription: "Garmin's, version 2, with another prefix",
        extensions: """
          <ns3:TrackPointExtension xmlns:ns3="\(garmin)v2"><ns3:hr>99</ns3:hr><ns3:speed>4.5</ns3:speed>
          <ns3:course>270</ns3:course><ns3:bearing>90</ns3:bearing></ns3:TrackPointExtension>
          """, readings: try SensorReadings(heartRate: 99), speed: 4.5, course: 270),
      Scenario(
        testDescription: "a bearing without a course",
        extensions:
          "<a:TrackPointExtension xmlns:a=\"\(garmin)v2\"><a:bearing>90</a:bearing></a:TrackPointExtension>",
        readings: nil, course: 90),
      Scenario(
        testDescription: "power without a prefix",
        extensions: "<power>250</power>", readings: try SensorReadings(power: 250)),
      Scenario(
        testDescription: "Garmin's power",
        extensions: """
          <p:PowerExtension xmlns:p="http://www.garmin.com/xmlschemas/PowerExtension/v1">\
          <p:PowerInWatts>199</p:PowerInWatts></p:PowerExtension>
          """, readings: try SensorReadings(power: 199)),
      Scenario(
        testDescription: "Cluetrust's",
        extensions: """
          <d:hr xmlns:d="http://www.cluetrust.com/XML/GPXDATA/1/0">120</d:hr>
          <d:cadence xmlns:d="http://www.cluetrust.com/XML/GPXDATA/1/0">75.5</d:cadence>
          <d:temp xmlns:d="http://www.cluetrust.com/XML/GPXDATA/1/0">18</d:temp>
          <d:distance xmlns:d="http://www.cluetrust.com/XML/GPXDATA/1/0">18</d:distance>
          """,
        readings: try SensorReadings(heartRate: 120, cadence: 75.5, airTemperature: 18),
        omitted: ["distance"]),
      Scenario(
        testDescription: "the same names in other namespaces",
        extensions: """
          <x:hr xmlns:x="urn:x">1</x:hr><gpxtpx:cad xmlns:gpxtpx="urn:y">2</gpxtpx:cad><temp>3</temp>
          <x:hr xmlns:x="urn:x">1</x:hr><x:group xmlns:x="urn:x"><x:power>4</x:power></x:group>
          """, readings: nil, omitted: ["hr", "cad", "temp", "power"]),
    ]
  }

  @Test("F83 readings at a waypoint are counted") func readingsOfAWaypoint() throws {
    let text = """
      <gpx xmlns="http://www.topografix.com/GPX/1/1" version="1.1">
      <wpt lat="1" lon="2"><extensions><p:Depth \
      xmlns:p="http://www.garmin.com/xmlschemas/GpxExtensions/v3">12.5</p:Depth></extensions></wpt>
      <trk><trkseg><trkpt lat="1" lon="2"/></trkseg></trk></gpx>
      """
    let recording = try Recording(Array(text.utf8))
    #expect(recording.omitted.extensionNames == ["Depth"])
    #expect(recording.waypoints.count == 1)
  }

  @Test("F83 readings are known by their namespaces", arguments: try scenarios())
  func reads(_ scenario: Scenario) throws {
    let recording = try recording(Self.point(scenario.extensions))
    let expected = scenario.readings.map { [0: $0] } ?? [:]
    #expect(recording.sensors == expected)
    #expect(recording.locations.map(\.speed) == [scenario.speed])
    #expect(recording.locations.map(\.course) == [scenario.course])
    #expect(recording.omitted.extensionNames == scenario.omitted)
    #expect(recording.omitted.extensionCount >= scenario.omitted.count)
    #expect(recording.skipped.isEmpty)
    #expect(Track(recording).points.map(\.sensors) == [scenario.readings])
  }

  @Test(arguments: [("abc", 1), ("-1", 0), ("1e300", 1), ("", 0), ("nan", 0), (" 80 ", 0)])
  func invalidReadingsAreOmitted(_ text: String, _ skipped: Int) throws {
    let recording = try recording(
      Self.point("<a:hr xmlns:a=\"http://www.cluetrust.com/XML/GPXDATA/1/0\">\(text)</a:hr>"))
    let isValid = text == " 80 "
    #expect(recording.sensors.isEmpty == !isValid)
    #expect(recording.locations.count == 1)
    #expect(recording.skipped.count == skipped)
  }

  @Test func readingsOutOfRangeAreRefused() throws {
    for field in SensorField.all {
      var readings = SensorReadings()
      readings[keyPath: field.member] = field.range.upperBound
      #expect(readings.unlessEmpty == readings)
      #expect(RecordedColumn(named: field.name) == field.column)
    }
    #expect(throws: LocationError.self) { try SensorReadings(heartRate: -1) }
    #expect(throws: LocationError.self) { try SensorReadings(depth: .nan) }
    #expect(throws: LocationError.self) { try SensorReadings(airTemperature: -300) }
    #expect(try SensorReadings(airTemperature: -40).airTemperature == -40)
  }

  // MARK: Round trips

  /// Some points have no readings, and others have a few. Some readings are not integers, although
  /// those of Garmin's extensions are.
  static func track() throws -> Track {
    var track = Track(name: "Ride")
    for index in 0..<40 {
      let place = try location(0, Double(index) / 1000, at: Double(index))
      var point = TrackPoint(place, beginning: index % 10 == 0 ? .loss : nil)
      if index % 3 > 0 {
        point.sensors = try SensorReadings(
          heartRate: index == 7 ? 300.5 : 120 + Double(index),
          cadence: index % 2 == 0 ? 80.25 : 90, power: index > 20 ? Double(index * 10) : nil,
          airTemperature: index > 30 ? -3.5 : nil, waterTemperature: index > 35 ? 4 : nil,
          depth: index == 38 ? 0.5 : nil)
      }
      track.append(point)
    }
    return track
  }

  @Test(
    "F83 readings are written and read again", arguments: RecordingWriter.Format.allCases)
  func readsBack(_ format: RecordingWriter.Format) throws {
    let track = try Self.track()
    var writer = RecordingWriter(format: format)
    var bytes: [UInt8] = []
    for point in track.points { bytes += writer.write(point) }
    #expect(writer.omittedSensorCount == (format.holdsSensors ? 0 : 26))
    bytes += writer.finish()
    let found = try Recording(bytes)
    #expect(found.skipped.isEmpty)
    #expect(found.omitted.isEmpty)
    guard format.holdsSensors else {
      #expect(found.sensors.isEmpty)
      return
    }
    let read = Track(found, options: .recordedGapsOnly)
    #expect(read.points.map(\.sensors) == track.points.map(\.sensors))
    #expect(read.segments.count == 4)
  }

  /// Pieces of any length give the same result.
  @Test(.longWork, arguments: [1, 7, 1000]) func readsPieces(_ length: Int) throws {
    let bytes = try Self.track().encoded(as: .gpx)
    let whole = try recording(bytes)
    var reader = RecordingReader(options: RecordingOptions(start: start))
    var (count, sensors) = (0, [Int: SensorReadings]())
    for piece in bytes.pieces(of: length) {
      let events = try reader.read(piece)
      for (index, reading) in reader.sensors { sensors[count + index] = reading }
      count += events.count
    }
    #expect(sensors == whole.sensors)
    #expect(sensors.count == 26)
  }

  @Test func readingsStayWithTheirPoints() throws {
    let track = try Self.track()
    let sensors = Dictionary(
      uniqueKeysWithValues: track.points.map { ($0.location, $0.sensors) })
    func check(_ track: Track) {
      for point in track.points { #expect(point.sensors == sensors[point.location]) }
    }
    let parts = try track.split(everyMetres: 300)
    #expect(parts.count > 5)
    for part in parts { check(part) }
    #expect(Track.merged(parts, name: "Ride") == track)
    let start = try #require(track.segments.first?.locations.first?.timestamp)
    let clipped = track.clipped(to: start.addingTimeInterval(3)..<start.addingTimeInterval(27))
    #expect(clipped.pointCount == 24)
    check(clipped)
    check(try track.simplified(tolerance: 10))
  }
}
