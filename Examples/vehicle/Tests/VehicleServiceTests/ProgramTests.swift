import Foundation
import ProgramRun
import Testing

extension VehicleTests {
  /// Tests the built program as an init system runs it. Nothing listens on port 1, so there is
  /// neither a receiver nor a broker.
  @Suite(.serialized) struct ProgramTests {
    @Test(arguments: [SIGTERM, SIGINT])
    func endsWithStatusZero(_ signal: Int32) async throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      defer { try? FileManager.default.removeItem(at: folder) }
      let program = try ProgramRun(
        "vehicle", ["mqtt://127.0.0.1:1", "jane/van", folder.path, "1"])
      #expect(try await program.line() == "Publishes and records while that is permitted.")
      program.send(signal)
      let (status, lines) = await program.end()
      #expect(status == 0)
      #expect(lines.last == "Stopped. 0 wait for the broker.")
      // The signal may come before the file is created.
      let track = try? String(
        contentsOf: folder.appendingPathComponent("track.gpx"), encoding: .utf8)
      #expect(track?.hasSuffix("</gpx>\n") != false)
    }
  }
}
