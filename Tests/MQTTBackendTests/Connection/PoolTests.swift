import AsyncLocation
import Foundation
import MQTTBackend
import MockBackend
import OwnTracks
import TestSupport
import Testing

/// Credentials, certificates, names and sockets are handled outside of the cooperative pool.
@Suite(.inTurn) struct PoolTests {
  @Test(.exitTest, .recordsPoolCalls) func connectionsDoNotBlockThePool() async {
    await #expect(processExitsWith: .success) {
      let authority = try TestAuthority()
      let credentials = authority.certificateFile + ".credentials"
      #expect(
        FileManager.default.createFile(
          atPath: credentials, contents: Data("user\npassword\n".utf8),
          attributes: [.posixPermissions: 0o600]))
      var broker = try MQTTConfiguration(url: "mqtts://localhost:1")
      broker.tls?.authorityFile = authority.certificateFile
      broker.credentials = .file(credentials)
      let configuration = broker
      let calls = try await callsOnThePool {
        let fleet = try Fleet(FleetConfiguration(configuration))
        for await state in fleet.connectionStates where state.problem != nil { break }
        await fleet.shutdown()
        let manager = LocationManager(backend: MockBackend(authorization: .granting))
        let publisher = LocationPublisher(
          manager, topic: try OwnTracksTopic(user: "a", device: "b"), to: configuration,
          storage: MemoryPublicationStorage())
        let run = Task { try await publisher.run() }
        for await state in publisher.connectionStates where state.problem != nil { break }
        run.cancel()
        _ = await run.result
        await manager.shutdown()
      }
      #expect(calls == [], "\(calls)")
      exitAtOnce()
    }
  }
}
