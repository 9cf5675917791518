import Foundation
import ProgramRun
import Testing

/// Tests the built service as an init system runs it. Nothing listens on port 1.
@Suite(.timeLimit(.minutes(10))) struct StopTests {
  @Test(arguments: [SIGTERM, SIGINT])
  func endsWithStatusZero(_ signal: Int32) async throws {
    let service = try ProgramRun("stops-on-sigterm", ["1"])
    #expect(try await service.line() == "No location.")
    service.send(signal)
    let (status, lines) = await service.end()
    #expect(status == 0)
    #expect(lines.last == "Stopped.")
  }
}
