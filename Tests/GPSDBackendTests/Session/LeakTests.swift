import AsyncLocation
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import GPSDBackend

/// Checks that connections leave no descriptors, threads, subscriptions or objects.
@Suite(.inTurn) struct LeakTests {
  @Test("F24 repeatedly created managers over gpsd leave no descriptor, thread or object")
  func nothingIsLeft() async throws {
    let server = FakeGPSD(
      [.send(FakeGPSD.banner + FakeGPSD.watching + FakeGPSD.fix(1)), .hold])
    for round in 0..<40 {
      weak var weakManager: LocationManager?
      do {
        let manager = LocationManager(backend: GPSDBackend(.local(server.port)))
        weakManager = manager
        // Other tests can keep the threads busy for longer than the default timeout.
        let location = try await manager.currentLocation(timeout: .seconds(1_800))
        #expect(location.latitude == 60.25)
        if round % 2 == 0 { await manager.shutdown() }
        #expect(await manager.statistics.subscribers == 0)
      }
      #expect(weakManager == nil)
    }
    // The last run may still be ending with its connection.
    while !server.clients.isEmpty { await Task.yield() }
    #expect(server.accepted >= 40)
    #expect(FaultRun.threadCount(named: "location-loop") == 1)
  }
}
