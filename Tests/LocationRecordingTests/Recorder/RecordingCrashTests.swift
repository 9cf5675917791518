import AsyncLocation
import Foundation
import LocationRecording
import MockBackend
import TestSupport
import Testing

@testable import track_writer

/// When a process is killed while it records, the file keeps every location that the process has
/// written, even if the file was never synchronized.
@Suite(.inTurn) struct RecordingCrashTests {
  static let rounds =
    ProcessInfo.processInfo.environment["ASYNC_LOCATION_CRASHES"].flatMap { Int($0) } ?? 14

  @Test("F86 F52 F44 after kill -9 at any instant, the file has a prefix of the locations")
  func killed() async throws {
    let folder = try RecordingFolder()
    var random = SplitMix64(seed: 52)
    var counts: [RecordingWriter.Format: Int] = [:]
    var cutCount = 0
    for round in 0..<Self.rounds {
      let formats = RecordingWriter.Format.recordable
      let format = formats[round % formats.count]
      let path = folder(format.name)
      let start = counts[format] ?? 0
      // Although the umask removes every permission, the mode of the file must be right.
      let writer = try WriterProcess(
        "track-writer", [format.name, path, "\(start)"], umask: "777")
      for _ in 0..<Int.random(in: 1...30, using: &random) { _ = await writer.line() }
      writer.kill()
      let reportedCount = await writer.finish().last.flatMap { Int($0) } ?? start
      #expect(folder.mode(format.name).map { $0 & 0o7777 } == 0o600)
      let comment: Comment = "round \(round), \(format)"
      // A kill during a write may cut a document; the next recorder repairs it.
      if let whole = try? Self.numbers(path) {
        #expect(whole.count >= reportedCount, comment)
        #expect(whole == Array(0..<whole.count), comment)
      } else {
        cutCount += 1
        #expect(format == .gpx || format == .geoJSON || reportedCount == 0, comment)
      }
      try await TrackRecorder(to: path, format: format, configuration: .init(existing: .append))
        .record(TrackRecorderTests.stream([]))
      let repaired = (try? Self.numbers(path)) ?? []
      #expect(repaired.count >= reportedCount, comment)
      #expect(repaired == Array(0..<repaired.count), comment)
      counts[format] = repaired.count
    }
    let count = counts.values.reduce(0, +)
    #expect(count > Self.rounds)
    print(
      "F52: \(Self.rounds) times killed, \(count) locations, none lost, \(cutCount) documents cut")
  }

  private static func numbers(_ path: String) throws -> [Int] {
    try Recording(contentsOf: path).locations.map { Int(($0.longitude * 1000).rounded()) }
  }
}
