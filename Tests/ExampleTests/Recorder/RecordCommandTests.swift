import AsyncLocation
import Foundation
import Glibc
import LocationRecording
import MockBackend
import TestSupport
import Testing

@testable import async_location_example

/// The command `record`, mostly as the built tool, which records the drive that it contains.
@Suite(.inTurn) struct RecordCommandTests {
  /// A path in the temporary folder, whose file is removed with the last reference.
  private final class Target {
    let path: String

    init(_ suffix: String) {
      path = NSTemporaryDirectory() + "record-\(UUID().uuidString)\(suffix)"
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  @Test(
    "F44 the format is that of the name or of the option",
    arguments: [
      (".gpx", ""), (".geojson", ""), (".json", ""), (".geojsonl", ""), (".geojsons", ""),
      (".csv", ""), (".jsonl", ""), ("", "--format csv"), (".x", "--format locations"),
    ])
  func formats(_ suffix: String, _ option: String) async throws {
    let target = Target(suffix)
    let ended = try await ChildProcess(
      "record \(target.path) --backend replay --rate 100 --count 20 \(option)"
    ).end()
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(ended.output.isEmpty, "\(ended.errors)")
    #expect(ended.errors.contains("20 locations recorded"), "\(ended.errors)")
    #expect(try Recording(contentsOf: target.path).locations.count == 20)
    var status = stat()
    #expect(lstat(target.path, &status) == 0)
    #expect(status.st_mode == S_IFREG | 0o600)
  }

  @Test func recordingMatchesWatchedLines() async throws {
    let target = Target("")
    let options = "--backend replay --rate 100 --count 50 --format"
    let ended = try await ChildProcess("record \(target.path) \(options) locations").end()
    #expect(ended.status == 0)
    let watched = try await ChildProcess("watch \(options) json").end()
    #expect(try String(contentsOfFile: target.path, encoding: .utf8) == watched.output)
    // The recording replays as the same lines.
    let replayed = try await ChildProcess(
      "watch --backend replay --rate 100 --format json --file \(target.path)"
    ).end()
    #expect(replayed.output == watched.output)
  }

  @Test(
    arguments: [
      (SIGINT, "", 0), (SIGTERM, "", 0), (SIGHUP, "", 0), (SIGINT, "--count 100000", 130),
    ]
      as [(Int32, String, Int32)])
  func aSignalCompletesTheFile(_ signal: Int32, _ option: String, _ status: Int32) async throws {
    let target = Target(".gpx")
    let child = try ChildProcess("record \(target.path) --backend replay \(option)")
    // The file is created with its header before any location.
    while !FileManager.default.fileExists(atPath: target.path) { await Task.yield() }
    child.send(signal)
    let ended = await child.end()
    #expect(ended.status == status, "\(ended.errors)")
    #expect(try Recording(contentsOf: target.path).skipped.isEmpty)
    #expect(ended.errors.contains("recorded"))
  }

  /// A service manager may send several signals at once.
  @Test func twoSignalsAtOnceCountAsOne() async throws {
    let target = Target(".gpx")
    let child = try ChildProcess("record \(target.path) --backend replay")
    while !FileManager.default.fileExists(atPath: target.path) { await Task.yield() }
    child.send(SIGTERM)
    child.send(SIGHUP)
    let ended = await child.end()
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(ended.errors.contains("recorded"), "\(ended.errors)")
  }

  /// The folder is removed before the next file of the rotation is created.
  @Test("F52 an interrupt does not hide that locations were lost")
  func anInterruptHidesNoLoss() async throws {
    let folder = Target("")
    try FileManager.default.createDirectory(
      atPath: folder.path, withIntermediateDirectories: false)
    let bench = Bench(MockBackend())
    let line = "record \(folder.path)/a.gpx --rotate 10s"
    let run = Task { try await bench.run(line) }
    await bench.backend.waitUntilRunning()
    func emit(_ second: Int) throws {
      try bench.backend.emit(
        .location(
          Location(
            latitude: 60, longitude: 24 + Double(second) * 1e-4,
            timestamp: Samples.time + Double(second), horizontalAccuracy: 5)))
    }
    try emit(0)
    var names: [String] {
      (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    }
    while names.isEmpty { await Task.yield() }
    try FileManager.default.removeItem(atPath: folder.path)
    for second in 1...40 { try emit(second) }
    while await !bench.errors.text.contains("Trying again.") {
      bench.clock.advance(by: .seconds(10))
      await Task.yield()
    }
    run.cancel()
    #expect(try await run.value == .failed)
    let text = await bench.errors.text
    #expect(text.contains("LOST"), "\(text)")
    #expect(text.contains("No such file or directory"), "\(text)")
    #expect(!text.contains("--append continues"))
  }

  @Test("F54 an existing file is refused, continued or replaced")
  func existing() async throws {
    let target = Target(".csv")
    let line = "record \(target.path) --backend replay --rate 100 --count 5"
    #expect(try await ChildProcess(line).end().status == 0)
    let before = try Data(contentsOf: URL(fileURLWithPath: target.path))
    let refused = try await ChildProcess(line).end()
    #expect(refused.status == 1)
    #expect(refused.errors.contains("exists already"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: target.path)) == before)
    #expect(try await ChildProcess(line + " --append").end().status == 0)
    #expect(try Recording(contentsOf: target.path).locations.count == 10)
    #expect(try await ChildProcess(line + " --replace").end().status == 0)
    #expect(try Recording(contentsOf: target.path).locations.count == 5)
  }

  @Test(arguments: [
    ("record a.xyz", "add --format"), ("record a.kml", "convert it"),
    ("record a --format kmz", "--format is one of gpx"),
    ("record a.gpx --rotate 5", "--rotate is a size"),
    ("record a/ --format gpx", "needs the path of a file"),
  ])
  func invalidArgumentsAreUsageErrors(_ line: String, _ message: String) async throws {
    let ended = try await ChildProcess(line).end()
    #expect(ended.status == 2, "\(ended.errors)")
    #expect(ended.errors.contains(message), "\(ended.errors)")
  }

  @Test("F58 a withdrawal of permission ends the recording")
  func revocation() async throws {
    let target = Target(".gpx")
    let bench = Bench(MockBackend())
    async let code = bench.run("record \(target.path)")
    await bench.backend.waitUntilRunning()
    bench.backend.setAuthorization(.denied)
    #expect(try await code == .permission)
    #expect(
      try String(contentsOfFile: target.path, encoding: .utf8).contains("permission was withdrawn"))
  }
}

@Suite(.inTurn) struct RecordTextTests {
  @Test(
    arguments: [
      ("10MB", .bytes(10_000_000)), ("1.5kB", .bytes(1_500)), ("2GB", .bytes(2_000_000_000)),
      ("100B", .bytes(100)), ("1h", .duration(.seconds(3600))),
      ("30min", .duration(.seconds(1800))),
      ("90s", .duration(.seconds(90))), ("1d", .duration(.seconds(86_400))),
      ("5km", .distance(5000)),
      ("500m", .distance(500)),
    ] as [(String, RotationLimit)])
  func readsLimits(_ text: String, _ limit: RotationLimit) { #expect(RotationLimit(text) == limit) }

  @Test(arguments: [
    "", "5", "MB", "-1MB", "0MB", "0.1B", "1 MB", "1mb", "1e3s", "nanh", "infs", "1hh", "1M", "٣m",
  ])
  func invalidLimitsAreRefused(_ text: String) { #expect(RotationLimit(text) == nil) }

  @Test func theSummaryCountsLocations() async throws {
    let recorder = try TrackRecorder(to: NSTemporaryDirectory() + "b.gpx", format: .gpx)
    let statistics = await recorder.statistics
    #expect(
      RecordText.summary(statistics, path: "a/b.gpx", dropped: 0) == "a/b.gpx: 0 locations recorded"
    )
    #expect(
      RecordText.summary(statistics, path: "b.gpx", dropped: 2)
        == "b.gpx: 0 locations recorded, 2 LOST")
    #expect(
      RecordText.progress(statistics, path: "b.gpx") == "b.gpx: 0 locations recorded, 0 bytes")
    #expect(
      [999, 1_000, 12_345, 9_999_999].map(RecordText.size) == [
        "999 bytes", "1.0 kB", "12.3 kB", "10.0 MB",
      ])
  }
}
