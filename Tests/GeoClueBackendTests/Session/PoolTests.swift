import AsyncLocation
import GeoClueBackend
import TestSupport
import Testing

/// A connection makes no blocking call on the cooperative pool.
@Suite(.inTurn) struct PoolTests {
  @Test(.exitTest, .recordsPoolCalls) func aConnectionDoesNotBlockThePool() async {
    await #expect(processExitsWith: .success) {
      let calls = try await callsOnThePool {
        let backend = GeoClueBackend(
          GeoClueConfiguration(desktopID: "tests", address: "unix:path=/nowhere"))
        let manager = LocationManager(backend: backend)
        let updates = manager.updates
        for await state in manager.connectionStates where state.problem != nil { break }
        withExtendedLifetime(updates) {}
        await manager.shutdown()
      }
      #expect(calls == [], "\(calls)")
    }
  }
}
