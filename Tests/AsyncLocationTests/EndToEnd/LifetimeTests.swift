import AsyncLocation
import MockBackend
import TestSupport
import Testing

@Suite(.inTurn)
struct LifetimeTests {
  @Test("F24 last reference dropped while streaming")
  func droppingTheLastReferenceClosesTheManager() async throws {
    let backend = MockBackend()
    var manager: LocationManager? = LocationManager(backend: backend)
    weak let observer = manager
    let inspector = Inspector(manager!)
    var updates: LocationUpdates? = manager!.updates(UpdateOptions())
    var states: AsyncStream<ConnectionState>? = manager!.connectionStates
    await backend.waitUntilRunning()
    manager = nil
    #expect(observer == nil)
    try backend.emit(.location(fix(1)))
    #expect(try await updates?.first(1) == [fix(1)])
    #expect(inspector.inspect()?.isClosed == false)
    withExtendedLifetime((updates, states)) {}
    updates = nil
    await backend.waitUntilIdle()
    #expect(inspector.inspect()?.isClosed == false)
    states = nil
    while !inspector.isGone { await Task.yield() }
    #expect(backend.runCount == 1)
  }

  @Test func aStreamOutlivesATemporaryManager() async throws {
    let backend = try MockBackend(script: [.locations(fix(1), fix(2))])
    var seen: [Location] = []
    for try await location in LocationManager(backend: backend).updates {
      seen.append(location)
      if seen.count == 2 { break }
    }
    #expect(seen == [fix(1), fix(2)])
    await backend.waitUntilIdle()
  }

  @Test func aFunctionMayReturnAStream() async throws {
    func updates(_ backend: MockBackend) -> AsyncThrowingStream<Location, any Error> {
      LocationManager(backend: backend).updates
    }
    func live(_ backend: MockBackend) -> AsyncStream<LocationUpdate> {
      LocationManager(backend: backend).liveUpdates
    }
    let first = try MockBackend(script: [.locations(fix(1), fix(2))])
    #expect(try await updates(first).first(2) == [fix(1), fix(2)])
    await first.waitUntilIdle()
    let second = try MockBackend(script: [.locations(fix(1))])
    #expect(try await live(second).first(2).last?.location == fix(1))
    await second.waitUntilIdle()
  }

  @Test func aTemporaryManagerAnswersACall() async throws {
    let backend = try MockBackend(script: [.locations(fix(1))])
    #expect(try await LocationManager(backend: backend).currentLocation() == fix(1))
    await backend.waitUntilIdle()
  }

  /// The manager is freed while the ended stream and the invalidated session are still referenced.
  @Test func endedStreamsAndSessionsRetainNothing() async throws {
    let backend = MockBackend()
    var manager: LocationManager? = LocationManager(backend: backend)
    let inspector = Inspector(manager!)
    let updates = manager!.updates(UpdateOptions())
    let loop = Task { for try await _ in updates {} }
    let session = ServiceSession(manager!)
    manager = nil
    await backend.waitUntilRunning()
    loop.cancel()
    try await loop.value
    await backend.waitUntilIdle()
    #expect(inspector.inspect()?.isClosed == false)
    session.invalidate()
    while !inspector.isGone { await Task.yield() }
    #expect(await session.diagnostics.all().elements == [])
    withExtendedLifetime((updates, session)) {}
  }

  @Test func aSessionKeepsItsManagerOpen() async throws {
    let backend = MockBackend(authorization: .asking)
    let session = ServiceSession(LocationManager(backend: backend))
    var missing = session.diagnostics.makeAsyncIterator()
    #expect(await missing.next() == .authorizationRequestInProgress)
    await backend.waitForCall(.authorizationRequested(.whenInUse))
    backend.answerAuthorization(.denied)
    #expect(await missing.next() == .authorizationDenied)
  }

  @Test func abandonedBackendsAreFreed() async throws {
    weak var observer: MockBackend?
    do {
      let backend = MockBackend()
      observer = backend
      let manager = LocationManager(backend: backend)
      let updates = manager.updates
      await backend.waitUntilRunning()
      try backend.emit(.location(fix(1)))
      _ = try await updates.first(1)
      await manager.shutdown()
    }
    // The run's task releases the backend just after it reported its end to the manager.
    while observer != nil { await Task.yield() }
  }

  @Test func aScopedManagerLivesForItsClosure() async throws {
    struct Failure: Error {}
    let backend = try MockBackend(
      script: MockScript([.locations(fix(1))], restartsWithEachRun: true))
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

  @Test func breakingTheLoopUnsubscribes() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let emitter = Task {
      await backend.waitUntilRunning()
      try backend.emit(.location(fix(1)))
    }
    for try await location in manager.updates {
      #expect(location == fix(1))
      break
    }
    try await emitter.value
    await backend.waitUntilIdle()
    #expect(await manager.statistics.subscribers == 0)
  }

  @Test func tenThousandSubscribersShareOneRun() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    var streams = (0..<10_000).map { _ in manager.updates(UpdateOptions()) }
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await manager.until { $0.elementsDelivered == 10_000 }
    #expect(backend.runCount == 1)
    #expect(try await streams[9_999].first(1) == [fix(1)])
    streams.removeAll()
    await backend.waitUntilIdle()
    #expect(await manager.statistics.subscribers == 0)
  }
}
