import AsyncLocation
import Foundation
import Glibc
import MockBackend
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct PlotTests {
  /// A folder that is removed with its files.
  private final class Folder {
    let path = NSTemporaryDirectory() + "pictures-\(UUID().uuidString)"

    init() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ text: String, to name: String) throws -> String {
      try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)))
      return file(name)
    }

    func read(_ name: String) -> String? {
      FileManager.default.contents(atPath: file(name)).map { String(decoding: $0, as: UTF8.self) }
    }

    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path) } }
  }

  private static let track = "lat,lon,speed\n48,11,3\n48.001,11.001,4\n48.002,11.001,5\n"

  private static func bench(_ views: [SatelliteView] = []) throws -> Bench {
    Bench(try MockBackend(script: [.emit(views.map { .satellites($0) }), .end]))
  }

  // MARK: plot

  @Test(arguments: [("svg", "<?xml"), ("html", "<!doctype html>"), ("SVG", "<?xml")])
  func writesAPicture(_ ending: String, _ beginning: String) async throws {
    let folder = try Folder()
    let input = try folder.write(Self.track, to: "drive.csv")
    let bench = try Self.bench()
    #expect(try await bench.run("plot \(input) -o \(folder.file("a." + ending))") == .done)
    let text = try #require(folder.read("a." + ending))
    #expect(text.hasPrefix(beginning))
    #expect(text.contains(">drive</title>"))
    #expect(await bench.output.text.isEmpty)
    #expect(await bench.errors.text.contains("a.\(ending): 3 locations\n"))
    #expect(try folder.names.sorted() == ["a." + ending, "drive.csv"])
    var status = stat()
    #expect(stat(folder.file("a." + ending), &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test("--partial draws what precedes the damage") func partialDraws() async throws {
    let folder = try Folder()
    let input = try folder.write(
      "<gpx><trk><trkseg><trkpt lat=\"48\" lon=\"11\"/><trkpt lat=\"48.1\" lon=\"11\"/>", to: "cut")
    let failing = try Self.bench()
    #expect(try await failing.run("plot \(input) -o \(folder.file("a.svg"))") == .failed)
    #expect(try folder.names == ["cut"])
    let bench = try Self.bench()
    #expect(try await bench.run("plot \(input) -o \(folder.file("a.svg")) --partial") == .failed)
    #expect(folder.read("a.svg")?.hasPrefix("<?xml") == true)
    let errors = await bench.errors.text
    #expect(errors.contains("only what precedes this is kept\n"))
    #expect(errors.contains("a.svg: 2 locations\n"))
  }

  @Test func takesTitleColorAndBasemap() async throws {
    let folder = try Folder()
    let input = try folder.write(Self.track, to: "drive.csv")
    let ground = try folder.write(
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":"#
        + #"{"type":"LineString","coordinates":[[11,48],[11.002,48.001]]}},{"type":"Feature","#
        + #""properties":{},"geometry":{"type":"Blob"}}]}"#, to: "ground.geojson")
    let bench = try Self.bench()
    let line =
      "plot \(input) --output \(folder.file("a.svg")) --title Tour --color-by altitude "
      + "--basemap \(ground)"
    #expect(try await bench.run(line) == .done)
    let text = try #require(folder.read("a.svg"))
    #expect(text.contains("class=\"road\""))
    #expect(text.contains(">Tour</title>"))
    #expect(text.contains("Altitude: not recorded"))
    #expect(await bench.errors.text.contains("1 feature skipped"))
  }

  @Test func severalTracksAreDrawnOnOneMap() async throws {
    let folder = try Folder()
    let first = try folder.write(Self.track, to: "monday.csv")
    let second = try folder.write("lat,lon\n48.01,11\nx,y\n48.02,11.01\n", to: "<b>.csv")
    let bench = try Self.bench()
    #expect(
      try await bench.run("plot \(first) \(second) -o \(folder.file("a.html")) --title Week")
        == .failed)
    let text = try #require(folder.read("a.html"))
    #expect(text.contains(">Week</title>"))
    #expect(text.contains("<bdi>monday</bdi>"))
    #expect(text.contains("<bdi>&lt;b&gt;</bdi>"))
    let errors = await bench.errors.text
    #expect(errors.contains("<b>.csv: 1 part was skipped"))
    #expect(errors.contains("a.html: 2 tracks, 5 locations"))
  }

  @Test(arguments: [("time", ">time, UTC<"), ("distance", ">distance<")])
  func profilesAreOverTimeOrDistance(_ axis: String, _ caption: String) async throws {
    let folder = try Folder()
    let input = try folder.write(Self.track, to: "drive.csv")
    let bench = try Self.bench()
    let line = "plot \(input) -o \(folder.file("a.svg")) --zone UTC --over \(axis)"
    #expect(try await bench.run(line) == .done)
    #expect(folder.read("a.svg")?.contains(caption) == true)
  }

  @Test(arguments: [
    ("", "14:00:00 – 14:10:00 CEST"), (" --zone UTC", "12:00:00 – 12:10:00 UTC"),
    (" --zone Asia/Kathmandu", "17:45:00 – 17:55:00 +0545"),
  ])
  func timesAreThoseOfTheZone(_ option: String, _ times: String) async throws {
    let folder = try Folder()
    let input = try folder.write(
      "time,lat,lon\n2026-05-04T12:00:00Z,48.1,11.5\n2026-05-04T12:10:00Z,48.2,11.5\n",
      to: "drive.csv")
    let bench = try Self.bench()
    #expect(try await bench.run("plot \(input) -o \(folder.file("a.svg"))\(option)") == .done)
    #expect(folder.read("a.svg")?.contains("2026-05-04 \(times)") == true)
  }

  @Test func anUnknownZoneIsNamed() async throws {
    let folder = try Folder()
    let input = try folder.write(Self.track, to: "drive.csv")
    let bench = try Self.bench()
    let line = "plot \(input) -o \(folder.file("a.svg")) --zone Nowhere/City"
    #expect(try await bench.run(line) == .usage)
    #expect(await bench.errors.text.contains("Nowhere/City"))
    #expect(try folder.names == ["drive.csv"])
  }

  @Test func conditionsAreDrawn() async throws {
    let folder = try Folder()
    let input = try folder.write(Self.track, to: "drive.csv")
    let areas = try folder.write(
      #"{"type":"FeatureCollection","features":[{"type":"Feature","id":"depot","properties":"#
        + #"{"radius":80},"geometry":{"type":"Point","coordinates":[11,48]}},{"type":"Feature","#
        + #""id":"old","properties":{"radius":80,"expiry":"2020-01-01T00:00:00Z"},"#
        + #""geometry":{"type":"Point","coordinates":[11,48]}}]}"#, to: "areas.geojson")
    let lines = [
      ("\(input) -o \(folder.file("a.svg"))", "a.svg: 3 locations, 1 condition\n"),
      (
        "\(input) \(input) -o \(folder.file("b.svg"))",
        "b.svg: 2 tracks, 6 locations, 1 condition\n"
      ),
      ("-o \(folder.file("c.svg"))", "c.svg: 1 condition\n"),
    ]
    for (words, message) in lines {
      let bench = try Self.bench()
      #expect(try await bench.run("plot \(words) --conditions \(areas)") == .done)
      let errors = await bench.errors.text
      #expect(errors.contains(message))
      #expect(errors.contains("\"old\" expired already: not monitored"))
    }
    for name in ["a.svg", "b.svg", "c.svg"] {
      let text = try #require(folder.read(name))
      #expect(text.contains("class=\"fence\""))
      #expect(text.contains("<title>depot</title>"))
      #expect(!text.contains("<title>old</title>"))
    }
    let bench = try Self.bench()
    let line = "plot -o \(folder.file("d.svg")) --conditions \(input)"
    #expect(try await bench.run(line) == .usage)
    #expect(folder.read("d.svg") == nil)
    let colored = "plot -o \(folder.file("d.svg")) --conditions \(areas) --color-by speed"
    await #expect(throws: UsageError.self) { try await bench.run(colored) }
  }

  @Test func waypointsAreDrawn() async throws {
    let folder = try Folder()
    let input = try folder.write(
      """
      <gpx><wpt lat="47.001" lon="9"><name>Inn</name></wpt><rte><rtept lat="1" lon="2"/></rte>
      <trk><trkseg><trkpt lat="47" lon="9"/><trkpt lat="47.002" lon="9"/></trkseg></trk></gpx>
      """, to: "walk.gpx")
    let bench = try Self.bench()
    #expect(try await bench.run("plot \(input) -o \(folder.file("a.html"))") == .done)
    let text = try #require(folder.read("a.html"))
    #expect(text.contains("class=\"waypoint\""))
    #expect(text.contains(">Inn</text>"))
    #expect(await bench.errors.text.contains("walk.gpx: 1 point of routes left out"))
  }

  @Test("F54 an existing file is kept, unless it may be replaced")
  func existingFileIsKept() async throws {
    let folder = try Folder()
    let input = try folder.write(Self.track, to: "drive.csv")
    let output = try folder.write("mine", to: "a.svg")
    let bench = try Self.bench()
    #expect(try await bench.run("plot \(input) -o \(output)") == .usage)
    #expect(folder.read("a.svg") == "mine")
    #expect(await bench.errors.text.contains("a.svg exists; add --replace, or choose another name"))
    #expect(try await bench.run("plot \(input) -o \(output) --replace") == .done)
    #expect(folder.read("a.svg")?.hasPrefix("<?xml") == true)
    #expect(try folder.names.count == 2)
  }

  @Test(
    "F54 a link, a FIFO and a folder are never replaced", arguments: ["link", "fifo", "folder"])
  func keepsSpecialFiles(_ kind: String) async throws {
    let folder = try Folder()
    let input = try folder.write(Self.track, to: "drive.csv")
    let target = try folder.write("mine", to: "target")
    let output = folder.file("a.svg")
    switch kind {
    case "link": #expect(symlink(target, output) == 0)
    case "fifo": #expect(mkfifo(output, 0o600) == 0)
    default: #expect(mkdir(output, 0o700) == 0)
    }
    let bench = try Self.bench()
    #expect(try await bench.run("plot \(input) -o \(output) --replace") == .usage)
    #expect(folder.read("target") == "mine")
    #expect(try folder.names.count == 3)
  }

  @Test(arguments: [
    ("missing.csv", "a.svg", "missing.csv: cannot be opened"),
    ("empty.csv", "a.svg", "empty.csv: it contains no locations"),
    ("drive.csv", "none/a.svg", "none/a.svg: cannot be created"),
    ("drive.csv", "a.svg --basemap drive.csv", "drive.csv: line 1, column 1: not valid JSON"),
  ])
  func reportsInvalidInputAndOutput(_ input: String, _ output: String, _ message: String)
    async throws
  {
    let folder = try Folder()
    _ = try folder.write(Self.track, to: "drive.csv")
    _ = try folder.write("lat,lon\n", to: "empty.csv")
    let bench = try Self.bench()
    let words = output.replacingOccurrences(of: "drive.csv", with: folder.file("drive.csv"))
    let code = try await bench.run("plot \(folder.file(input)) -o \(folder.file(words))")
    #expect(code == .usage || code == .failed)
    let errors = await bench.errors.text
    #expect(errors.contains(message), "\(errors)")
    #expect(try folder.names.sorted() == ["drive.csv", "empty.csv"])
  }

  // MARK: sky

  @Test func theFirstViewWithAUsedSatelliteIsDrawn() async throws {
    let folder = try Folder()
    let bench = try Self.bench([
      SatelliteView(satellites: []),
      SatelliteView(satellites: [Satellite(prn: 7, isUsed: false)]), Samples.sky(8),
      Samples.sky(3),
    ])
    #expect(try await bench.run("sky --plot \(folder.file("sky.svg"))") == .done)
    #expect(folder.read("sky.svg")?.contains("4 used, 8 in view") == true)
    #expect(await bench.output.text.isEmpty)
  }

  @Test("F58 the view is drawn while permission holds, not when the source has ended")
  func aPictureIsDrawnBeforeTheSourceHasEnded() async throws {
    let folder = try Folder()
    let (path, source) = (folder.file("sky.svg"), SlowSource([.satellites(try Samples.sky(8))]))
    guard case .run(let arguments) = try Invocation.parse(["sky", "--plot", path]) else {
      Issue.record("no command")
      return
    }
    let command = SkyPlotCommand(arguments: arguments, context: try Self.bench().tool.context)
    let run = Task {
      try await command.run(NamedBackend(name: "slow", backend: source), to: path)
    }
    for await _ in source.cancelled.stream {}
    #expect(folder.read("sky.svg")?.contains("8 in view") == true)
    source.released.continuation.finish()
    #expect(try await run.value == .done)
  }

  @Test func aSourceWithoutAUsedSatelliteIsAFailure() async throws {
    let folder = try Folder()
    let bench = try Self.bench([SatelliteView(satellites: [])])
    #expect(try await bench.run("sky --plot \(folder.file("sky.svg"))") == .failed)
    #expect(try folder.names.isEmpty)
  }
}
