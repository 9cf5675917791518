import AsyncLocation
import MockBackend
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LifetimeTests {
  @Test("F24 last reference dropped while streaming")
  func droppingTheManagerClosesEverything() async throws {
    let backend = MockBackend()
    var manager: LocationManager? = LocationManager(backend: backend)
    weak let observer = manager
    let updates = manager!.updates
    let live = manager!.liveUpdates
    let reader = Task { await updates.all() }
    await backend.waitUntilRunning()
    backend.emit(.location(fix(1)))
    manager = nil
    #expect(observer == nil)
    let seen = await reader.value
    #expect(seen.elements == [fix(1)])
    #expect(seen.error == nil)
    _ = await live.all()
    await backend.waitUntilIdle()
  }

  @Test func abandonedBackendsAreFreed() async throws {
    weak var observer: MockBackend?
    do {
      let backend = MockBackend()
      observer = backend
      let manager = LocationManager(backend: backend)
      let updates = manager.updates
      await backend.waitUntilRunning()
      backend.emit(.location(fix(1)))
      _ = try await updates.first(1)
      await manager.shutdown()
    }
    // The run's task lets go of the backend just after it told the manager of its end.
    while observer != nil { await Task.yield() }
  }

  @Test func aClosureHasAManagerForItsLength() async throws {
    struct Failure: Error {}
    let backend = MockBackend(script: MockScript([.locations(fix(1))], restartsWithEachRun: true))
    let location = try await withLocationManager(backend: backend) { manager in
      try await manager.currentLocation()
    }
    #expect(location == fix(1))
    #expect(!backend.isRunning)
    await #expect(throws: Failure.self) {
      try await withLocationManager(backend: backend) { manager in
        let updates = manager.updates
        await backend.waitUntilRunning()
        _ = updates
        throw Failure()
      }
    }
    #expect(!backend.isRunning)
  }

  @Test func aLoopThatBreaksUnsubscribes() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let emitter = Task {
      await backend.waitUntilRunning()
      backend.emit(.location(fix(1)))
    }
    for try await location in manager.updates {
      #expect(location == fix(1))
      break
    }
    await emitter.value
    await backend.waitUntilIdle()
    #expect(await manager.statistics.subscribers == 0)
  }

  @Test func tenThousandSubscribersShareOneRun() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    var streams = (0..<10_000).map { _ in manager.updates(UpdateOptions()) }
    await backend.waitUntilRunning()
    backend.emit(.location(fix(1)))
    await manager.until { $0.elementsDelivered == 10_000 }
    #expect(backend.runCount == 1)
    #expect(try await streams[9_999].first(1) == [fix(1)])
    streams.removeAll()
    await backend.waitUntilIdle()
    #expect(await manager.statistics.subscribers == 0)
  }
}
