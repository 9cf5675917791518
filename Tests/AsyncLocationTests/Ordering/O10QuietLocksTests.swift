import AsyncLocation
import MockBackend
import Synchronization
import TestSupport
import Testing

/// A policy and a backend use their manager while it calls them, and a loop while it reads. If the
/// manager held a lock meanwhile, each use would deadlock.
@Suite("O10 Quiet locks", .tags(.ordering), .inTurn)
struct O10QuietLocksTests {
  @Test func thePolicyMayUseTheManager() async throws {
    let box = Mutex<LocationManager?>(nil)
    let policy = AskingAuthorizationPolicy { request in
      let manager = box.withLock { $0 }
      _ = manager?.updates
      _ = await manager?.authorization()
      return request == .always ? .authorizedAlways : .authorizedWhenInUse
    }
    let backend = ReentrantBackend(authorizationPolicy: policy, box: Mutex(nil))
    let manager = LocationManager(backend: backend)
    box.withLock { $0 = manager }
    backend.box.withLock { $0 = manager }
    #expect(try await manager.currentLocation() == fix(1))
    await manager.shutdown()
    box.withLock { $0 = nil }
    backend.box.withLock { $0 = nil }
  }

  /// Creates and drops a stream, and reads the statistics, inside another stream's loop.
  @Test func aLoopMayUseTheManager() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let updates = manager.updates(UpdateOptions())
    await backend.waitUntilRunning()
    try backend.emit((0..<50).map { .location(fix($0)) })
    try backend.end()
    var count = 0
    for try await _ in updates {
      _ = manager.updates
      _ = await manager.statistics
      count += 1
    }
    #expect(count == 50)
  }
}

private final class ReentrantBackend: LocationBackend {
  let capabilities = BackendCapabilities.all
  let authorizationPolicy: any AuthorizationPolicy
  let box: Mutex<LocationManager?>

  init(authorizationPolicy: any AuthorizationPolicy, box: consuming sending Mutex<LocationManager?>)
  {
    self.authorizationPolicy = authorizationPolicy
    self.box = box
  }

  func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    let manager = box.withLock { $0 }
    _ = manager?.headings
    emit([.connection(ConnectionState(.connected))])
    _ = await manager?.statistics
    emit([.location(fix(1))])
    // The gate stays closed: the wait ends when the run is cancelled.
    let gate = MockGate()
    await gate.wait()
  }

  func demandDidChange(_ demand: BackendDemand) async {
    let manager = box.withLock { $0 }
    _ = manager?.satellites
  }
}
