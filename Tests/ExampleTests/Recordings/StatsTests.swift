import AsyncLocation
import FoundationEssentials
import LocationRecording
import MockBackend
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct StatsTests {
  private static let table = """
    time,lat,lon,altitude,speed,segment
    2026-05-04T03:00:00Z,0,0,100,10,1
    2026-05-04T03:00:10Z,0,0.001,120,12,1
    2026-05-04T03:02:00Z,0,0.002,110,,1
    2026-05-04T03:02:10Z,0,0.003,140,11,2

    """

  private func run(
    _ text: String, _ options: String = "", _ shape: Presentation.Shape = .lines
  ) async throws -> (ExitCode?, Bench) {
    let folder = try RecordingFolder()
    try folder.write(text, to: "in")
    let bench = Bench(MockBackend(), shape: shape)
    return (try await bench.run("stats \(folder.path)/in \(options)"), bench)
  }

  @Test func numbersAreLines() async throws {
    let (code, bench) = try await run(Self.table)
    #expect(code == .done)
    #expect(
      await bench.output.text == """
        Format       CSV
        Name         -
        Points       4 in 3 segments
        Start        2026-05-04T03:00:00.000Z
        End          2026-05-04T03:02:10.000Z
        Duration     2 min 10 s
        Recorded     10 s, gaps left out
        Moving       10 s, 111 m
        Length       111 m
        Speed        11.1 m/s average, 11.1 m/s moving, 10.0 m/s maximum
        Ascent       20 m
        Descent      0 m
        Altitude     100...140 m
        Gaps         2, 2 min 0 s, 223 m; the longest 1 min 50 s
        Bounds       0.00000 0.00000 0.00000 0.00300

        """)
    #expect(await bench.errors.text.isEmpty)
  }

  @Test("--partial prints the numbers of what precedes the damage") func partialPrintsNumbers()
    async throws
  {
    let point = "<trkpt lat=\"0\" lon=\"0\"><time>2026-05-04T03:00:00Z</time></trkpt>"
    let text = "<gpx><trk><trkseg>\(point)\n\(point)"
    let (failed, failing) = try await run(text)
    #expect(failed == .failed)
    #expect(await failing.output.text.isEmpty)
    #expect(await failing.errors.text.contains("/in: line 2, column "))
    #expect(await failing.errors.text.hasSuffix("; --partial keeps what precedes this\n"))
    let (code, bench) = try await run(text, "--partial")
    #expect(code == .failed)
    #expect(await bench.output.text.contains("Points       2 in 1 segment\n"))
    #expect(await bench.errors.text.contains("/in: line 2, column "))
    #expect(await bench.errors.text.hasSuffix("; only what precedes this is kept\n"))
  }

  @Test("numbers in JSON have no digits of a computation")
  func jsonNumbersHaveNoRoundingNoise() async throws {
    let table = """
      time,lat,lon,segment
      2026-05-04T03:00:00.1Z,0,0,1
      2026-05-05T03:00:04.1Z,0,0.1,1
      2026-05-05T03:00:06.3Z,0.3,0.4,2

      """
    let (code, bench) = try await run(table, "--max-gap 100000", .json)
    #expect(code == .done)
    let text = await bench.output.text
    #expect(text.contains(#""duration":86406.2,"#), "\(text)")
    #expect(text.contains(#""recordedTime":86404,"#))
    #expect(text.contains(#""gapTime":2.2,"#))
    #expect(text.contains(#""length":11131.949,"#))
    #expect(text.firstRange(of: /\d\.\d{7}/) == nil, "\(text)")
  }

  @Test func assumedTimesAreNotShown() async throws {
    let (code, bench) = try await run("lat,lon\n0,0\n0,0.001\n")
    #expect(code == .done)
    let lines = await bench.output.lines
    for name in ["Start", "End", "Duration", "Recorded", "Moving", "Speed"] {
      #expect(lines.contains { $0.hasPrefix(name + " ") && $0.hasSuffix(" -") }, "\(name)")
    }
    #expect(lines.contains("Length       111 m"))
  }

  @Test func aGapBelowTheLimitIsPartOfTheSegment() async throws {
    let (_, bench) = try await run(Self.table, "--max-gap 200")
    let lines = await bench.output.lines
    #expect(lines.contains("Points       4 in 2 segments"))
    #expect(lines.contains("Length       223 m"))
    #expect(lines.contains("Gaps         1, 10 s, 111 m; the longest 10 s"))
  }

  @Test func jsonMembersMatchTheHelp() async throws {
    let (code, bench) = try await run(
      #"{"type":"FeatureCollection","name":"a\u001b","features":[{"type":"Feature","geometry":"#
        + #"{"type":"LineString","coordinates":[[0,0,1],[0,1,9]]},"properties":{"times":"#
        + #"["2026-05-04T03:00:00Z","2026-05-04T03:00:10Z"]}}]}"#, "--format json", .json)
    #expect(code == .done)
    let text = await bench.output.text
    #expect(text.contains(#""name":"a\u001b""#))
    let object = try JSONDecoder().decode([String: AnyValue].self, from: Data(text.utf8))
    for name in object.keys { #expect(Help.text(.stats).contains(name), "\(name)") }
    #expect(object.count == 24)
  }

  /// Accepts any value.
  private struct AnyValue: Decodable { init(from decoder: any Decoder) {} }

  @Test func skippedPartsAreAFailure() async throws {
    let (code, bench) = try await run(Self.table + "x,y\n")
    #expect(code == .failed)
    #expect(await bench.errors.lines.count == 2)
    #expect(await bench.output.text.contains("Points       4 in 3 segments"))
  }

  @Test("F83 waypoints and routes are no part of the length") func onlyTheTrackCounts() async throws
  {
    let (code, bench) = try await run(
      """
      <gpx><wpt lat="50" lon="9"/><wpt lat="51" lon="9"/><rte><rtept lat="1" lon="2"/></rte><trk><trkseg>
      <trkpt lat="47" lon="9"/><trkpt lat="47.002" lon="9"/></trkseg></trk></gpx>
      """)
    #expect(code == .done)
    #expect(await bench.output.lines.contains("Length       222 m"))
    let errors = await bench.errors.text
    #expect(errors.contains("/in: 1 point of routes left out; its track is read\n"))
    #expect(errors.contains("2 waypoints left out: they are no part of the track\n"))
  }

  @Test func nothingIsPrintedWithoutLocations() async throws {
    let (code, bench) = try await run("<gpx/>")
    #expect(code == .failed)
    #expect(await bench.output.text.isEmpty)
    #expect(await bench.errors.text.hasSuffix("/in: it contains no locations\n"))
  }

  @Test func lengthMatchesTheLibrary() async throws {
    let (_, bench) = try await run(Self.table, "--format json", .json)
    struct Numbers: Decodable { let length, gapDistance: Double }
    let numbers = try JSONDecoder().decode(
      Numbers.self, from: Data(await bench.output.text.utf8))
    let track = Track(try Recording(Array(Self.table.utf8)))
    #expect(abs(numbers.length - track.length) <= 0.0005)
    #expect(abs(numbers.gapDistance - track.gaps.reduce(0) { $0 + $1.distance }) <= 0.0005)
  }
}

@Suite(.inTurn) struct ScanProgressTests {
  @Test func progressIsShownAtIntervals() {
    var progress = ScanProgress(length: 200)
    let steps: [(bytes: Int, points: Int, milliseconds: Int, text: String?)] = [
      (10, 1, 0, nil), (20, 2, 199, nil), (30, 3, 200, "15 %, 3 points"), (40, 4, 399, nil),
      (200, 9, 400, "99 %, 9 points"),
    ]
    for (bytes, points, milliseconds, text) in steps {
      #expect(
        progress.text(bytes, points, at: .milliseconds(milliseconds))
          == text.map { ScanProgress.clearing + $0 })
    }
    #expect(progress.isShown)
  }

  @Test(arguments: [nil, 0])
  func progressOfAPipeHasNoPercentage(_ length: Int?) {
    var progress = ScanProgress(length: length)
    #expect(!progress.isShown)
    #expect(progress.text(1, 2, at: .seconds(1)) == ScanProgress.clearing + "2 points")
  }
}

@Suite(.inTurn) struct StreamedSimplificationTests {
  private func points(_ count: Int, _ beginnings: Set<Int> = [0]) throws -> [TrackPoint] {
    try (0..<count).map { index in
      TrackPoint(
        try Location(
          latitude: index.isMultiple(of: 7) ? 0.001 : 0, longitude: Double(index) / 1000,
          timestamp: Samples.time + Double(index)),
        beginning: beginnings.contains(index) ? index == 0 ? .start : .loss : nil)
    }
  }

  @Test(arguments: [1, 3, 100])
  func wholeSegmentsMatchTheLibrarysSimplification(_ chunk: Int) throws {
    let points = try points(50, [0, 20])
    var track = Track()
    for point in points { track.append(point) }
    var simplification = StreamedSimplification(tolerance: 50, capacity: 100)
    var kept: [TrackPoint] = []
    var rest = points[...]
    while !rest.isEmpty {
      kept += try simplification.add(Array(rest.prefix(chunk)))
      rest = rest.dropFirst(chunk)
    }
    kept += try simplification.finish()
    #expect(kept == Array(try track.simplified(tolerance: 50).points))
    #expect(try simplification.finish().isEmpty)
  }

  @Test func longSegmentsKeepAPointForEachPart() throws {
    let line = try points(43).map { point in
      TrackPoint(
        try Location(
          latitude: 0, longitude: point.location.longitude, timestamp: point.location.timestamp),
        beginning: point.beginning)
    }
    var simplification = StreamedSimplification(tolerance: 1, capacity: 10)
    let kept = try simplification.add(line) + simplification.finish()
    #expect(kept.map(\.location.longitude) == [0, 9, 18, 27, 36, 42].map { $0 / 1000 })
    #expect(kept.map(\.beginning) == [.start, nil, nil, nil, nil, nil])
  }
}
