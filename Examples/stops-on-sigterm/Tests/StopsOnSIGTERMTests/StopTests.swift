import Foundation
import Testing

/// Tests the built service as an init system runs it. Nothing listens on port 1. The tests run one
/// at a time, because Foundation may miss the end of one of two processes.
@Suite(.serialized, .timeLimit(.minutes(10))) struct StopTests {
  @Test(arguments: [SIGTERM, SIGINT])
  func endsWithStatusZero(_ signal: Int32) async throws {
    let service = Process()
    // `env` restores the default signal actions: the background jobs of a shell ignore SIGINT, and
    // child processes inherit this.
    service.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    service.arguments = [
      "--default-signal=INT,TERM", Self.products.appendingPathComponent("stops-on-sigterm").path,
      "1",
    ]
    let pipe = Pipe()
    service.standardOutput = pipe
    let (ends, ended) = AsyncStream<Void>.makeStream()
    service.terminationHandler = { _ in ended.finish() }
    let output = AsyncStream<Data> { output in
      pipe.fileHandleForReading.readabilityHandler = { handle in
        let data = handle.availableData
        if data.isEmpty { output.finish() } else { output.yield(data) }
      }
    }
    try service.run()
    defer { if service.isRunning { service.terminate() } }

    var text = Data()
    for await data in output {
      if text.isEmpty { kill(service.processIdentifier, signal) }  // It prints, so it runs.
      text += data
    }
    for await _ in ends {}
    #expect(service.terminationReason == .exit)
    #expect(service.terminationStatus == 0)
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    #expect(lines.first == "No location.")
    #expect(lines.last == "Stopped.")
  }

  /// The folder of the built tests and the service.
  private static var products: URL {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  }
}
