import AsyncLocation
import NMEABackend
import TestSupport
import Testing

/// A run makes no blocking call on the cooperative pool.
@Suite(.inTurn) struct PoolTests {
  @Test(.exitTest, .recordsPoolCalls) func aRunDoesNotBlockThePool() async {
    await #expect(processExitsWith: .success) {
      let calls = try await callsOnThePool {
        for source in [
          NMEASource.tcp(host: "localhost", port: 1), .serial(path: "/dev/does-not-exist"),
          .udp(port: 1, address: "192.0.2.1"),
        ] {
          let manager = LocationManager(backend: NMEABackend(source))
          let updates = manager.updates
          for await state in manager.connectionStates where state.problem != nil { break }
          withExtendedLifetime(updates) {}
          await manager.shutdown()
        }
      }
      #expect(calls == [], "\(calls)")
    }
  }
}
