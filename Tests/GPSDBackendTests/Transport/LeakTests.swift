import AsyncLocation
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import GPSDBackend

/// Leaks of connections: descriptors, threads, subscriptions, objects.
@Suite(.hangLimit) struct LeakTests {
  @Test("F24 repeatedly created managers over gpsd leave no descriptor, thread or object")
  func nothingIsLeft() async throws {
    let server = FakeGPSD(
      [.send(FakeGPSD.banner + FakeGPSD.watching + FakeGPSD.fix(1)), .hold])
    for round in 0..<40 {
      weak var observer: LocationManager?
      do {
        let manager = LocationManager(backend: GPSDBackend(.local(server.port)))
        observer = manager
        #expect(try await manager.currentLocation().latitude == 60.25)
        if round % 2 == 0 { await manager.shutdown() }
        #expect(await manager.statistics.subscribers == 0)
      }
      #expect(observer == nil)
    }
    // The last run may still be ending with its connection.
    while Self.connections(to: server.port) > 0 { await Task.yield() }
    #expect(server.accepted >= 40)
    #expect(FaultRun.threads(named: "gpsd-loop") == 1)
  }

  /// The number of sockets connected to a port that only this test uses.
  private static func connections(to port: Int) -> Int {
    (3..<Int32(2048)).count { descriptor in
      var address = sockaddr_in()
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let status = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          getpeername(descriptor, $0, &size)
        }
      }
      return status == 0 && address.sin_family == sa_family_t(AF_INET)
        && in_port_t(bigEndian: address.sin_port) == port
    }
  }
}
