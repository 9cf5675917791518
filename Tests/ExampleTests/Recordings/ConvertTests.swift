import AsyncLocation
import FoundationEssentials
import Glibc
import LocationRecording
import MockBackend
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct ConvertTests {
  /// A track with a name and two segments.
  private static let tour = """
    <gpx version="1.1"><trk><name>Tour &amp; more</name><trkseg>
    <trkpt lat="47" lon="9"><ele>400</ele><time>2026-05-04T03:00:00Z</time></trkpt>
    <trkpt lat="47.001" lon="9"><ele>420</ele><time>2026-05-04T03:00:10Z</time></trkpt>
    </trkseg><trkseg>
    <trkpt lat="47.01" lon="9"><ele>430</ele><time>2026-05-04T03:05:00Z</time></trkpt>
    </trkseg></trk></gpx>
    """
  private static let tool = "async-location-example: "

  private func bench() -> Bench { Bench(MockBackend()) }

  private func run(_ bench: Bench, _ line: String, _ folder: RecordingFolder) async throws
    -> ExitCode?
  {
    try await bench.run(line.replacing("@", with: folder.path + "/"))
  }

  // MARK: Formats

  @Test(arguments: RecordingWriter.Format.allCases)
  func everyFormatRoundTrips(_ format: RecordingWriter.Format) async throws {
    let folder = try RecordingFolder()
    try folder.write(Self.tour, to: "in")
    let bench = bench()
    #expect(try await run(bench, "convert @in @out --format \(format.name)", folder) == .done)
    #expect(try folder.names == ["in", "out"])
    let lines =
      (format.holdsName ? [] : ["the name of the track left out: \(format) holds none"])
      + (format.holdsSegments ? [] : ["the segments are joined: \(format) holds none"])
      + ["3 points in 2 segments from GPX to \(format)"]
    #expect(await bench.errors.lines == lines.map { Self.tool + $0 })
    let (from, to) = (
      try Recording(contentsOf: folder.path + "/in"),
      try Recording(contentsOf: folder.path + "/out")
    )
    #expect(to.locations.map(\.coordinate) == from.locations.map(\.coordinate))
    #expect(to.locations.map(\.timestamp) == from.locations.map(\.timestamp))
    #expect(to.locations.map(\.altitude) == from.locations.map(\.altitude))
    let named: [RecordingWriter.Format] = [.gpx, .kml, .geoJSON, .geoJSONTrack]
    #expect(to.name == (named.contains(format) ? "Tour & more" : nil))
    guard format != .locationJSON else { return }  // It has no segments.
    #expect(Track(to, options: TrackOptions(maximumInterval: .seconds(999))).segments.count == 2)
  }

  @Test func fileNameDeterminesTheFormat() async throws {
    let folder = try RecordingFolder()
    try folder.write(Self.tour, to: "in")
    let bench = bench()
    #expect(try await run(bench, "convert @in @a.CSV", folder) == .done)
    #expect(try folder.read("a.CSV").hasPrefix("timestamp,latitude"))
    let error = await #expect(throws: UsageError.self) {
      try await run(bench, "convert @in @out", folder)
    }
    #expect(error?.message.contains("add --format, one of gpx, kml,") == true)
    #expect(try folder.names == ["a.CSV", "in"])
  }

  @Test func standardOutputHasOnlyTheData() async throws {
    let folder = try RecordingFolder()
    try folder.write(Self.tour, to: "in")
    let bench = bench()
    #expect(try await run(bench, "convert @in - --format csv", folder) == .done)
    #expect(await bench.output.lines.count == 4)
    #expect(await bench.errors.text.contains("3 points in 2 segments"))
  }

  @Test func standardInputIsRead() async throws {
    let folder = try RecordingFolder()
    try folder.write(Self.tour + "x", to: "in")
    let ended = try await ChildProcess(
      "convert - - --format gpsd", inputPath: folder.path + "/in"
    ).end()
    #expect(ended.status == 1)
    #expect(ended.errors.hasPrefix(Self.tool + "standard input: line 6, column "))
  }

  @Test func theTrackIsSimplifiedAndDivided() async throws {
    let folder = try RecordingFolder()
    let rows = (0..<100).map { "2026-05-04T03:\(10 + $0 / 10):0\($0 % 10)Z,0,\(Double($0) / 1000)" }
    try folder.write("time,lat,lon\n" + rows.joined(separator: "\n"), to: "in")
    for (options, result) in [
      ("", "100 points in 1 segment"), ("--simplify 1", "2 points in 1 segment"),
      ("--max-gap 20", "100 points in 10 segments"),
      ("--max-gap 20 --simplify 1", "20 points in 10 segments"),
    ] {
      let bench = bench()
      #expect(try await run(bench, "convert @in - --format csv \(options)", folder) == .done)
      #expect(await bench.errors.text == Self.tool + "\(result) from CSV to CSV\n")
    }
  }

  // MARK: Waypoints and routes

  private static let walk = """
    <trk><name>Walk</name><trkseg><trkpt lat="47" lon="9"><time>2026-05-04T03:00:00Z</time></trkpt>
    <trkpt lat="47.001" lon="9"><time>2026-05-04T03:01:00Z</time></trkpt></trkseg></trk>
    """
  private static let place = "<wpt lat=\"50\" lon=\"9\"><name>Inn &amp; pub</name></wpt>"
  private static let plan = "<rte><name>Plan</name><rtept lat=\"1\" lon=\"2\"/></rte>"

  @Test(
    "F83 waypoints are kept and routes are reported", arguments: RecordingWriter.Format.allCases)
  func waypointsAreKept(_ format: RecordingWriter.Format) async throws {
    let folder = try RecordingFolder()
    try folder.write("<gpx>\(Self.place)\(Self.plan)\(Self.walk)</gpx>", to: "in")
    let bench = bench()
    #expect(try await run(bench, "convert @in @out --format \(format.name)", folder) == .done)
    var lines = await bench.errors.lines
    #expect(lines.removeFirst().hasSuffix("/in: 1 point of routes left out; its track is read"))
    #expect(lines.removeFirst().hasSuffix("/in: 1 name left out: Plan"))
    if !format.holdsWaypoints {
      #expect(lines.removeFirst() == Self.tool + "1 waypoint left out: \(format) holds none")
    }
    if !format.holdsName {
      #expect(
        lines.removeFirst() == Self.tool + "the name of the track left out: \(format) holds none")
    }
    #expect(lines == [Self.tool + "2 points in 1 segment from GPX to \(format)"])
    let read = try Recording(contentsOf: folder.path + "/out")
    #expect(read.locations.map(\.latitude) == [47, 47.001])
    #expect(read.waypoints.map(\.name) == (format.holdsWaypoints ? ["Inn & pub"] : []))
  }

  /// A GPX file has its waypoints and the name of its track before the points of the track.
  @Test("F83 waypoints after a track are written before it") func lateWaypointsAreKept()
    async throws
  {
    let folder = try RecordingFolder()
    try folder.write("<gpx>\(Self.walk)\(Self.place)</gpx>", to: "in")
    // The space is longer than one chunk of the reader.
    let space = String(repeating: " ", count: 1 << 17)
    try folder.write("<gpx>\(Self.walk)\(space)\(Self.place)</gpx>", to: "far")
    for name in ["in", "far"] {
      let bench = bench()
      #expect(try await run(bench, "convert @\(name) @\(name).gpx", folder) == .done)
      let read = try Recording(contentsOf: folder.path + "/\(name).gpx")
      #expect(read.waypoints.map(\.name) == ["Inn & pub"])
      #expect(read.locations.count == 2)
      #expect(read.name == "Walk")
    }
    #expect(try folder.names == ["far", "far.gpx", "in", "in.gpx"])
    let bench = bench()
    #expect(try await run(bench, "convert @far - --format gpx", folder) == .failed)
    #expect(await bench.errors.text.contains("1 waypoint left out: they come after the track"))
    #expect(await bench.output.text.contains("<trk>"))
  }

  @Test func trackSubstitutesAreReported() async throws {
    let folder = try RecordingFolder()
    try folder.write("<gpx>\(Self.place)\(Self.plan)</gpx>", to: "routes")
    try folder.write("<gpx>\(Self.place)</gpx>", to: "places")
    for (name, words) in [("routes", "the points of its routes"), ("places", "its waypoints")] {
      let bench = bench()
      #expect(try await run(bench, "convert @\(name) - --format geojsonl", folder) == .done)
      #expect(await bench.errors.text.contains("/\(name): it has no track"))
      #expect(await bench.errors.text.contains("\(words) are taken for one"))
      #expect(await bench.errors.text.contains("1 point in 1 segment"))
    }
  }

  /// CSV has no names, so the waypoints are written without them.
  @Test func waypointsUsedAsTrackAreWritten() async throws {
    let folder = try RecordingFolder()
    try folder.write("<gpx>\(Self.place)<wpt lat=\"51\" lon=\"9\"/></gpx>", to: "in")
    for (format, line) in [
      ("csv", [Self.tool + "the names of 1 waypoint left out: CSV holds none"]), ("gpx", []),
    ] as [(String, [String])] {
      let bench = bench()
      #expect(try await run(bench, "convert @in - --format \(format)", folder) == .done)
      let lines = await bench.errors.lines.dropFirst()
      #expect(
        lines.first?.hasSuffix(
          "/in: it has no track and no route; its waypoints are taken for one") == true)
      #expect(lines.dropFirst().dropLast() == line[...])
      #expect(lines.last?.hasPrefix(Self.tool + "2 points in 1 segment from GPX to ") == true)
    }
  }

  @Test("F83 readings of sensors are kept, and unknown extensions are reported")
  func readingsOfSensorsAreKept() async throws {
    let folder = try RecordingFolder()
    try folder.write(
      """
      <gpx xmlns:t="http://www.garmin.com/xmlschemas/TrackPointExtension/v1"><trk><trkseg><trkpt lat="1" lon="2">
      <time>2026-05-04T03:00:00Z</time><extensions><t:TrackPointExtension><t:hr>143</t:hr>
      </t:TrackPointExtension><mood>good</mood></extensions></trkpt></trkseg></trk></gpx>
      """, to: "in.gpx")
    for (name, format) in [("a.csv", "CSV"), ("b.geojson", "GeoJSON"), ("c.gpx", "GPX 1.1")] {
      let bench = bench()
      #expect(try await run(bench, "convert @in.gpx @\(name)", folder) == .done)
      let lines = await bench.errors.lines
      #expect(lines.count == 2)
      #expect(lines[0].hasSuffix("/in.gpx: 1 element left out: mood"))
      #expect(lines[1] == Self.tool + "1 point in 1 segment from GPX to \(format)")
      let read = try Recording(contentsOf: folder.path + "/" + name)
      #expect(read.sensors == [0: try SensorReadings(heartRate: 143)])
    }
    let bench = bench()
    #expect(try await run(bench, "convert @in.gpx @d.kml", folder) == .done)
    #expect(
      await bench.errors.text.contains(
        "the readings of sensors at 1 point left out: KML 2.2 holds none\n"))
  }

  // MARK: Parts that are not kept

  @Test func skippedPartsAreCounted() async throws {
    let folder = try RecordingFolder()
    let wrong = String(repeating: "x,1\n", count: 7)
    try folder.write("lat,lon,time\n1,2,2026-05-04T03:00:00Z\n" + wrong, to: "in")
    let bench = bench()
    #expect(try await run(bench, "convert @in @out.gpx", folder) == .failed)
    let lines = await bench.errors.lines
    #expect(lines.count == 8)
    #expect(lines[0].hasSuffix("/in: 7 parts were skipped"))
    #expect(lines[1].contains("/in: line 3: "))
    #expect(lines[6].hasSuffix("/in: and 2 more"))
    #expect(lines[7] == Self.tool + "1 point in 1 segment from CSV to GPX 1.1")
    #expect(try Recording(contentsOf: folder.path + "/out.gpx").locations.count == 1)
  }

  @Test("F83 columns that are not read are named, and are no failure")
  func unreadColumnsAreNamed() async throws {
    let folder = try RecordingFolder()
    try folder.write(
      "No,time,lat,lon,,\"mood\u{1B}[2J\",pulse\n1,2026-05-04T03:00:00Z,1,2,,3,4\n", to: "in")
    let bench = bench()
    #expect(try await run(bench, "convert @in @out.gpx", folder) == .done)
    let lines = await bench.errors.lines
    #expect(lines.count == 2)
    #expect(lines[0].hasSuffix("/in: 3 columns not read: No, mood\\u001b[2J, pulse"))
    // The reader knows all columns that the tool writes.
    #expect(try await run(bench, "convert @out.gpx @out.csv", folder) == .done)
    #expect(try Recording(contentsOf: folder.path + "/out.csv").omitted.isEmpty)
  }

  @Test func earlierTimesAndOmittedNamesAreReported() async throws {
    let folder = try RecordingFolder()
    let times = ["10:00:00", "10:00:09", "10:00:08.5", "09:00:00", "09:00:10"]
    let points = times.map { #"<trkpt lat="1" lon="2"><time>2026-05-04T\#($0)Z</time></trkpt>"# }
    try folder.write(
      "<gpx><metadata><name>M</name></metadata><trk><name>T</name><trkseg>"
        + points.joined() + "</trkseg></trk></gpx>", to: "in")
    let bench = bench()
    #expect(try await run(bench, "convert @in @out.gpx", folder) == .done)
    let text = await bench.errors.text
    #expect(
      text.contains(
        "/in: 2 times are earlier than the one before: tracks are not in the order of time, "),
      "\(text)")
    #expect(text.contains("/in: 1 name left out: M\n"), "\(text)")
  }

  @Test(
    "Values that a format does not hold are reported", arguments: RecordingWriter.Format.allCases)
  func whatAFormatLacksIsReported(_ format: RecordingWriter.Format) async throws {
    let folder = try RecordingFolder()
    let rows = (0..<4).map { "2026-05-04T10:00:0\($0)Z,1,2,3,4,\($0 / 2)" }
    try folder.write(
      "time,lat,lon,speed,alt,segment\n" + rows.joined(separator: "\n") + "\n", to: "in")
    let bench = bench()
    #expect(try await run(bench, "convert @in @out --format \(format.name)", folder) == .done)
    let text = await bench.errors.text
    let read = try Recording(contentsOf: folder.path + "/out")
    #expect(read.locations.map(\.speed) == Array(repeating: format.holdsValues ? 3 : nil, count: 4))
    #expect(text.contains("accuracies and the like of 4 points left out") == !format.holdsValues)
    #expect((Track(read).segments.count == 2) == format.holdsSegments)
    #expect(text.contains("the segments are joined") == !format.holdsSegments)
  }

  @Test func severalReceiversAreReported() async throws {
    let folder = try RecordingFolder()
    let rows = (0..<4).map { "2026-05-04T10:00:0\($0)Z,1,2,\($0 % 2 == 0 ? "a" : "b")" }
    try folder.write("time,lat,lon,device\n" + rows.joined(separator: "\n") + "\n", to: "in")
    let all = bench()
    #expect(try await run(all, "convert @in @all.csv", folder) == .done)
    #expect(
      await all.errors.text.contains(
        "/in: it has several receivers, joined here: a, b; --device selects one\n"))
    let gpsd = bench()
    #expect(try await run(gpsd, "convert @all.csv @all.jsonl", folder) == .done)
    #expect(try await run(gpsd, "convert @all.jsonl @best.csv", folder) == .done)
    let text = await gpsd.errors.text
    #expect(text.contains("positions of receivers beside the best one left out"), "\(text)")
    let one = bench()
    #expect(try await run(one, "convert @in @one.csv --device a", folder) == .done)
    #expect(await !one.errors.text.contains("receivers"))
  }

  @Test func replacedCharactersAndMissingDatesAreCounted() async throws {
    let folder = try RecordingFolder()
    try folder.write(
      #"{"type":"FeatureCollection","name":"a\u0001","features":["#
        + #"{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[1,2]}}]}"#,
      to: "in")
    let bench = bench()
    #expect(try await run(bench, "convert @in @out.gpx", folder) == .failed)
    let lines = await bench.errors.lines
    #expect(lines[0] == Self.tool + "1 location had no usable date: the times are made up")
    #expect(lines[1] == Self.tool + "1 character cannot be written in GPX 1.1: replaced by U+FFFD")
    #expect(try folder.read("out.gpx").contains("<name>a\u{FFFD}</name>"))
  }

  @Test(arguments: [
    ("", "the recording is empty"), ("hello\n", "line 1: "), ("<gpx>\n<trk>", "line 2, column "),
    ("<gpx/>", "it contains no locations"),
    (
      "$GPRMC,100000,V,,,,,,,040526,,\n",
      "it contains no locations; 1 record without a position left out"
    ),
    ("{\"type\":\n\"Feature\",}", "line 2, column "),
  ])
  func aFailureLeavesNoFile(_ content: String, _ message: String) async throws {
    let folder = try RecordingFolder()
    try folder.write(content, to: "in")
    let bench = bench()
    #expect(try await run(bench, "convert @in @out.csv", folder) == .failed)
    #expect(await bench.errors.text.contains("/in: \(message)"))
    #expect(await bench.output.text.isEmpty)
    #expect(try folder.names == ["in"])
  }

  @Test("--partial keeps what precedes the damage") func partialKeepsPointsBeforeTheDamage()
    async throws
  {
    let folder = try RecordingFolder()
    try folder.write(
      Self.tour.replacing("</trkseg><trkseg>", with: "<trkpt lat=<\n</trkseg><trkseg>"), to: "in")
    let failing = bench()
    #expect(try await run(failing, "convert @in @out.csv", folder) == .failed)
    #expect(try folder.names == ["in"])
    let errorText = await failing.errors.text
    #expect(errorText.contains("/in: line 4, column "))
    #expect(errorText.hasSuffix("; --partial keeps what precedes this\n"))
    let bench = bench()
    #expect(try await run(bench, "convert @in @out.csv --partial", folder) == .failed)
    #expect(try Recording(contentsOf: folder.path + "/out.csv").locations.count == 2)
    let lines = await bench.errors.lines
    #expect(lines.count == 3)
    #expect(lines[0].contains("/in: line 4, column "))
    #expect(lines[0].hasSuffix("; only what precedes this is kept"))
    #expect(lines[1] == Self.tool + "the name of the track left out: CSV holds none")
    #expect(lines[2] == Self.tool + "2 points in 1 segment from GPX to CSV")
  }

  /// Waypoints after the track require that the file is read twice.
  @Test func partialKeepsWaypoints() async throws {
    let folder = try RecordingFolder()
    try folder.write("<gpx>\(Self.walk)\(Self.place)\n<wpt", to: "in")
    let bench = bench()
    #expect(try await run(bench, "convert @in @out.gpx --partial", folder) == .failed)
    let read = try Recording(contentsOf: folder.path + "/out.gpx")
    #expect(read.waypoints.map(\.name) == ["Inn & pub"])
    #expect(read.locations.count == 2)
    #expect(await bench.errors.text.contains("/in: line 3, column "))
  }

  @Test(arguments: [
    ("", "the recording is empty"), ("<gpx>\n<trk>", "line 2, column "),
    ("<gpx><wpt lat=\"95\" lon=\"1\"/>\n<wpt", "line 2, column "),
  ])
  func anUnreadableRecordingIsAFailure(_ content: String, _ message: String) async throws {
    for option in ["", "--partial"] {
      let folder = try RecordingFolder()
      try folder.write(content, to: "in")
      let bench = bench()
      #expect(try await run(bench, "convert @in @out.csv \(option)", folder) == .failed)
      let errorText = await bench.errors.text
      #expect(errorText.contains("/in: \(message)"))
      #expect(!errorText.contains("partial"))
      #expect(!errorText.contains("kept"))
      #expect(try folder.names == ["in"])
    }
  }

  @Test func anIntactRecordingEndsWithStatus0WithPartial() async throws {
    let folder = try RecordingFolder()
    try folder.write(Self.tour, to: "in")
    let bench = bench()
    #expect(try await run(bench, "convert @in @out.csv --partial", folder) == .done)
    #expect(await bench.errors.text.hasSuffix("3 points in 2 segments from GPX to CSV\n"))
    #expect(await !bench.errors.text.contains("precedes"))
  }

  @Test func positionsBesideTheTrackAreReported() async throws {
    let folder = try RecordingFolder()
    try folder.write(
      """
      {"semanticSegments":[{"timelinePath":[{"point":"47.1°, 8.5°","time":"2026-05-04T12:00:00Z"}]}],
      "rawSignals":[{"position":{"LatLng":"47.1°, 8.5°"}}]}
      """, to: "in")
    let bench = bench()
    #expect(try await run(bench, "convert @in @out.csv", folder) == .done)
    let lines = await bench.errors.lines
    #expect(
      lines[0].hasSuffix(
        "/in: 1 position of other kinds left out beside the track"))
    #expect(lines[1] == Self.tool + "1 point in 1 segment from Google location history to CSV")
  }

  // MARK: Paths

  @Test("F54 existing paths are refused, and never overwritten")
  func existingPathsAreRefused() async throws {
    let folder = try RecordingFolder()
    try folder.write(Self.tour, to: "in")
    try folder.write("old", to: "file.gpx")
    symlink("file.gpx", folder.path + "/link.gpx")
    symlink("nothing", folder.path + "/dangling.gpx")
    mkfifo(folder.path + "/fifo.gpx", 0o600)
    mkdir(folder.path + "/folder.gpx", 0o700)
    let names = try folder.names
    for (name, options, reason) in [
      ("file", "", "exists; add --replace"), ("link", "", "is a symbolic link"),
      ("link", "--replace", "is a symbolic link"), ("dangling", "", "is a symbolic link"),
      ("dangling", "--replace", "is a symbolic link"), ("fifo", "", "is not a regular file"),
      ("fifo", "--replace", "is not a regular file"), ("folder", "", "is a directory"),
      ("folder", "--replace", "is a directory"),
    ] {
      let bench = bench()
      #expect(try await run(bench, "convert @in @\(name).gpx \(options)", folder) == .usage)
      #expect(await bench.errors.text.contains("/\(name).gpx \(reason)"))
    }
    #expect(try folder.names == names)
    #expect(try folder.read("file.gpx") == "old")
    let bench = bench()
    #expect(try await run(bench, "convert @in @no/out.gpx", folder) == .failed)
    #expect(await bench.errors.text.contains("/no/out.gpx: cannot be created: No such file"))
  }

  @Test func replacingKeepsTheOldFileUntilTheNewOneIsComplete() async throws {
    let folder = try RecordingFolder()
    try folder.write(Self.tour, to: "in")
    try folder.write("old", to: "out.gpx")
    try folder.write("<gpx>", to: "cut")
    let failing = bench()
    #expect(try await run(failing, "convert @cut @out.gpx --replace", folder) == .failed)
    #expect(try folder.read("out.gpx") == "old")
    // A file without a readable point replaces nothing.
    try folder.write("timestamp,latitude,longitude\n2026-01-01T00:00:00Z,91,0\n", to: "far")
    let empty = bench()
    #expect(try await run(empty, "convert @far @out.gpx --replace", folder) == .failed)
    #expect(try folder.read("out.gpx") == "old")
    #expect(await empty.errors.text.contains("no file is written"))
    #expect(try await run(bench(), "convert @in @out.gpx --replace", folder) == .done)
    #expect(try folder.read("out.gpx").contains("<trkpt"))
    var information = stat()
    #expect(stat(folder.path + "/out.gpx", &information) == 0)
    #expect(information.st_mode & 0o777 == 0o600)
    // A file can also replace itself.
    #expect(
      try await run(bench(), "convert @out.gpx @out.gpx --format csv --replace", folder) == .done)
    #expect(try folder.read("out.gpx").hasPrefix("timestamp"))
    #expect(try folder.names == ["cut", "far", "in", "out.gpx"])
  }

  @Test func aFileCreatedMeanwhileIsNotReplaced() async throws {
    let folder = try RecordingFolder()
    let file = try CompletedFile(path: folder.path + "/out", replaces: false)
    try await file.output.write("new")
    try folder.write("old", to: "out")
    await #expect(throws: UsageError.self) { try await file.complete() }
    #expect(try folder.read("out") == "old")
  }

  // MARK: Ends

  @Test(arguments: [SIGINT, SIGTERM])
  func aSignalLeavesNoFile(_ signal: Int32) async throws {
    let folder = try RecordingFolder()
    let pipe = folder.path + "/pipe"
    mkfifo(pipe, 0o600)
    let writer = open(pipe, O_RDWR)
    defer { close(writer) }
    let child = try ChildProcess("convert \(pipe) \(folder.path)/out.csv")
    // More than a pipe holds: once all is written, the child has created its file and reads.
    await onThread {
      let text = Array(
        (Self.tour.dropLast("</gpx>".count) + String(repeating: " ", count: 1 << 18)).utf8)
      _ = Glibc.write(writer, text, text.count)
    }
    #expect(try folder.names.count == 2)
    child.send(signal)
    #expect(await child.end().status == 128 + signal)
    #expect(try folder.names == ["pipe"])
  }

  @Test func aFullDiskIsAFailure() async throws {
    let folder = try RecordingFolder()
    try folder.write(Self.tour, to: "in")
    let ended = try await ChildProcess(
      "convert \(folder.path)/in - --format gpx", outputPath: "/dev/full"
    ).end()
    #expect(ended.status == 1)
    #expect(ended.errors.contains("cannot be written: No space left"))
  }
}
