import Foundation
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
      let program = Process()
      // `env` restores the default signal actions: the background jobs of a shell ignore SIGINT,
      // and child processes inherit this.
      program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      program.arguments = [
        "--default-signal=INT,TERM", Self.products.appendingPathComponent("vehicle").path,
        "mqtt://127.0.0.1:1", "jane/van", folder.path, "1",
      ]
      let pipe = Pipe()
      program.standardError = pipe
      let (ends, ended) = AsyncStream<Void>.makeStream()
      program.terminationHandler = { _ in ended.finish() }
      let output = AsyncStream<Data> { output in
        pipe.fileHandleForReading.readabilityHandler = { handle in
          let data = handle.availableData
          if data.isEmpty { output.finish() } else { output.yield(data) }
        }
      }
      try program.run()
      defer { if program.isRunning { program.terminate() } }

      var text = Data()
      for await data in output {
        if text.isEmpty { kill(program.processIdentifier, signal) }  // It runs.
        text += data
      }
      for await _ in ends {}
      #expect(program.terminationReason == .exit)
      #expect(program.terminationStatus == 0)
      let messages = String(decoding: text, as: UTF8.self)
      #expect(messages.hasPrefix("Publishes and records while that is permitted.\n"))
      #expect(messages.hasSuffix("\nStopped. 0 wait for the broker.\n"))
      // The signal may come before the file is created.
      let track = try? String(
        contentsOf: folder.appendingPathComponent("track.gpx"), encoding: .utf8)
      #expect(track?.hasSuffix("</gpx>\n") != false)
    }

    /// The folder of the built tests and the program.
    private static var products: URL {
      URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    }
  }
}
