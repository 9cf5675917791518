import AsyncLocation
import MockBackend
import TestSupport
import Testing

@Suite("O6 The end is the end", .tags(.ordering), .inTurn)
struct O06TheEndIsTheEndTests {
  @Test func anErrorFollowsDeliveredElements() async throws {
    let error = LocationError(.notGPSD, "A web server.")
    let gate = MockGate()
    let backend = try MockBackend(
      script: [
        .wait(for: gate), .locations(fix(1), fix(2)), .locations(fix(3)), .fail(error),
      ])
    let manager = LocationManager(backend: backend)
    // Both subscribe before the source fails; a later subscription would begin another run.
    let (updates, updatesWithOptions) = (manager.updates, manager.updates(UpdateOptions()))
    gate.open()
    await backend.waitForCall(.runEnded)

    let seen = await updates.all()
    #expect(seen.elements == [fix(1), fix(2), fix(3)])
    #expect(seen.error as? LocationError == error)
    var iterator = updatesWithOptions.makeAsyncIterator()
    for n in 1...3 { #expect(try await iterator.next() == fix(n)) }
    await #expect(throws: error) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
  }

  @Test func sourceEndFinishesStreamsNormally() async throws {
    let gate = MockGate()
    let backend = try MockBackend(script: [.wait(for: gate), .locations(fix(1)), .end])
    let manager = LocationManager(backend: backend)
    let (live, updates) = (manager.liveUpdates, manager.updates)
    gate.open()
    let seen = await updates.all()
    #expect(seen.elements == [fix(1)])
    #expect(seen.error == nil)
    #expect(await live.all().elements.compactMap(\.location) == [fix(1)])
  }

  @Test func shutdownEndsEveryStreamAndReturnsWhenTheBackendStopped() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let updates = manager.updates
    let (live, states) = (manager.liveUpdates, manager.connectionStates)
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await manager.shutdown()
    #expect(!backend.isRunning)
    try backend.emit(.location(fix(2)))

    let seen = await updates.all()
    #expect(seen.elements == [fix(1)])
    #expect(seen.error == nil)
    _ = await live.all()
    _ = await states.all()
    await manager.shutdown()
    #expect(backend.runCount == 1)
  }

  @Test func streamsOpenedAfterTheEndThrow() async throws {
    let manager = LocationManager(backend: MockBackend())
    await manager.shutdown()
    for end in [
      await manager.updates.all().error, await manager.updates(UpdateOptions()).all().error,
      await manager.headings.all().error, await manager.headings(HeadingOptions()).all().error,
      await manager.satellites.all().error,
    ] {
      #expect((end as? LocationError)?.code == .shutDown)
    }
    #expect(await manager.liveUpdates.all().elements.isEmpty)
    #expect(await manager.connectionStates.all().elements.isEmpty)
    #expect(await manager.authorizationUpdates.all().elements.isEmpty)
    let session = ServiceSession(manager, authorization: .always)
    #expect(await session.diagnostics.all().elements.isEmpty)
    for call in [
      { @Sendable in _ = try await manager.currentLocation() },
      { @Sendable in _ = try await manager.currentLocation(timeout: .zero) },
      { @Sendable in _ = try await manager.requestWhenInUseAuthorization() },
      { @Sendable in _ = try await manager.requestAlwaysAuthorization() },
      { @Sendable in
        _ = try await manager.requestTemporaryFullAccuracyAuthorization(purposeKey: "p")
      },
    ] {
      let error = await #expect(throws: LocationError.self) { try await call() }
      #expect(error?.code == .shutDown)
    }
  }

  /// A long-running program opens a new stream whenever one ends.
  @Test func aRetryingLoopThrowsShutDown() async throws {
    let manager = LocationManager(backend: MockBackend())
    await manager.shutdown()
    var rounds = 0
    do {
      while rounds < 10_000 {
        rounds += 1
        for try await _ in manager.updates {}
      }
    } catch let error as LocationError {
      #expect(error.code == .shutDown)
    }
    #expect(rounds == 1)
  }

  @Test func aNewStreamRestartsAfterAFailure() async throws {
    let backend = try MockBackend(
      script: [.fail(LocationError(.unsupported, "Not today.")), .locations(fix(1)), .end])
    let manager = LocationManager(backend: backend)
    #expect(await manager.updates.all().error is LocationError)
    let second = await manager.updates.all()
    #expect(second.elements == [fix(1)])
    #expect(second.error == nil)
  }
}
