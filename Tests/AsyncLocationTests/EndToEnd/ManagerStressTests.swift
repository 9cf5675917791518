import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

/// Concurrent use on real threads, for ThreadSanitizer and AddressSanitizer.
@Suite(.inTurn) struct ManagerStressTests {
  @Test("F27 readers, callers, permission changes, reports and shutdown race", arguments: 1...3)
  func concurrentUseRacesWithShutdown(_ seed: Int) async throws {
    let backend = MockBackend()
    let clock = ManualClock()
    let manager = LocationManager(backend: backend, clock: clock)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        // Emits and advances the clock until the tasks that read and call have ended.
        var number = 0
        while !Task.isCancelled {
          number += 1
          // Fails when the queue of events is full between two runs.
          try? backend.emit(.location(try Self.location(number)))
          clock.advance(by: .milliseconds(1))
          await Task.yield()
        }
      }
      try await Self.useConcurrently(manager, seed) { number in
        backend.setAuthorization(number % 3 == 2 ? .denied : .authorizedAlways)
      }
      group.cancelAll()
    }
    let live = manager.liveUpdates
    await manager.shutdown()
    #expect(!backend.isRunning)
    _ = await live.all()
    await manager.until { $0.subscribers == 0 }  // Dropped streams have unsubscribed.
    #expect(backend.pendingAuthorizationRequests == [])
  }

  /// Reads, calls and changes permission, all at once.
  private static func useConcurrently(
    _ manager: LocationManager, _ seed: Int,
    changePermission: @escaping @Sendable (_ number: Int) -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for reader in 0..<6 {
        group.addTask {
          var random = SplitMix64(seed: UInt64(seed * 100 + reader))
          for _ in 0..<40 {
            let bound = Int.random(in: 1...8, using: &random)
            let loop = Task { try await Self.readLocations(manager, upTo: bound) }
            if Bool.random(using: &random) {
              for _ in 0..<bound { await Task.yield() }
              loop.cancel()
            }
            // A refused stream throws; a cancelled one does not.
            do { try await loop.value } catch let error as LocationError {
              #expect(error.code == .denied)
            }
          }
        }
      }
      for caller in 0..<3 {
        group.addTask {
          for round in 0..<40 {
            let call = Task { try await manager.currentLocation(timeout: .milliseconds(20)) }
            if (round + caller) % 3 == 0 { call.cancel() }
            _ = await call.result
            _ = try? await manager.requestWhenInUseAuthorization()
          }
        }
      }
      group.addTask {
        // The last change grants permission.
        for number in 0...60 {
          changePermission(number)
          await Task.yield()
        }
      }
      try await group.waitForAll()
    }
  }

  private static func location(_ number: Int) throws -> Location {
    try Location(
      latitude: Double(number % 90), longitude: 0,
      timestamp: Date(timeIntervalSince1970: 1_800_000_000 + Double(number)))
  }

  /// Reads up to `bound` locations and checks that their times increase.
  private static func readLocations(_ manager: LocationManager, upTo bound: Int) async throws {
    var last: Location?
    var count = 0
    for try await location in manager.updates {
      if let last { #expect(location.timestamp > last.timestamp) }
      last = location
      count += 1
      if count == bound { break }
    }
  }

  @Test("F24 repeatedly created managers leave nothing behind")
  func managersAndBackendsAreFreedAfterShutdown() async throws {
    weak var observedBackend: MockBackend?
    for _ in 0..<50 {
      weak var observer: LocationManager?
      do {
        let backend = MockBackend()
        observedBackend = backend
        let manager = LocationManager(backend: backend)
        observer = manager
        let updates = manager.updates(UpdateOptions())
        let session = ServiceSession(manager)
        await backend.waitUntilRunning()
        try backend.emit(.location(fix(1)))
        #expect(try await updates.first(1).count == 1)
        session.invalidate()
        await manager.shutdown()
      }
      #expect(observer == nil)
    }
    while observedBackend != nil { await Task.yield() }  // A run's task is released last.
  }
}
