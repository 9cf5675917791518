import AsyncLocation
import Testing

@testable import MQTTBackend

/// The reports of a run of connections until its end.
struct ConnectionTrial {
  var states: [ConnectionState] = []
  /// The error that ended the run.
  let error: LocationError?

  /// The states in which the run waits for the next attempt.
  var waits: [ConnectionState] { states.filter { $0.phase == .waiting } }

  /// Runs connections until the run ends by itself; its configuration limits the attempts.
  init(_ configuration: MQTTConfiguration, _ role: BrokerRun.Role = BrokerRun.Role()) async throws {
    let recorder = RecordingHandler()
    let events = recorder.events
    let run = try BrokerRun(configuration, role, identifier: "trial", handler: recorder)
    error = await #expect(throws: LocationError.self) { try await run.run() }
    for await event in events {
      guard case .changed(let state) = event else { continue }
      states.append(state)
      if state.phase == .failed { break }
    }
  }
}
