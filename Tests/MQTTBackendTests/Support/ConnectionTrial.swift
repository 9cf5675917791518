import AsyncLocation
import Testing

@testable import MQTTBackend

/// A run of connections that ends by itself, and the states that it has reported.
struct ConnectionTrial {
  var states: [ConnectionState] = []
  /// The error that ended the run.
  let error: LocationError?

  /// The states in which the run waits for the next attempt.
  var waits: [ConnectionState] { states.filter { $0.phase == .waiting } }

  /// Waits until the run ends with an error. The configuration must limit the attempts, unless a
  /// permanent error is expected.
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
