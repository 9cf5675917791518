import AsyncLocation
import GPSDBackend
import TestSupport
import Testing

/// A connection makes no blocking call on the cooperative pool.
@Suite(.inTurn) struct PoolTests {
  @Test(.exitTest, .recordsPoolCalls) func aConnectionDoesNotBlockThePool() async {
    await #expect(processExitsWith: .success) {
      let calls = try await callsOnThePool {
        let backend = GPSDBackend(host: "localhost", port: 1)
        let manager = LocationManager(backend: backend)
        let updates = manager.updates
        for await state in manager.connectionStates where state.problem != nil { break }
        withExtendedLifetime(updates) {}
        await #expect(throws: LocationError.self) { try await backend.devices() }
        await manager.shutdown()
      }
      #expect(calls == [], "\(calls)")
    }
  }
}
