import AsyncLocation
import MockBackend
import Testing

@Suite("O6 The end is the end", .timeLimit(.minutes(1)), .tags(.ordering))
struct O06TheEndIsTheEndTests {
  @Test func anErrorComesAfterWhatWasDelivered() async throws {
    let error = LocationError(.notGPSD, "A web server.")
    let backend = MockBackend(
      script: [.locations(fix(1), fix(2)), .locations(fix(3)), .fail(error)])
    let manager = LocationManager(backend: backend)
    let (updates, typed) = (manager.updates, manager.updates(UpdateOptions()))
    await backend.waitForCall(.runEnded)

    let seen = await updates.all()
    #expect(seen.elements == [fix(1), fix(2), fix(3)])
    #expect(seen.error as? LocationError == error)
    var iterator = typed.makeAsyncIterator()
    for n in 1...3 { #expect(try await iterator.next() == fix(n)) }
    await #expect(throws: error) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
  }

  @Test func aSourceThatEndsFinishesNormally() async throws {
    let backend = MockBackend(script: [.locations(fix(1)), .end])
    let manager = LocationManager(backend: backend)
    let live = manager.liveUpdates
    let seen = await manager.updates.all()
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
    backend.emit(.location(fix(1)))
    await manager.shutdown()
    #expect(!backend.isRunning)
    backend.emit(.location(fix(2)))

    let seen = await updates.all()
    #expect(seen.elements == [fix(1)])
    #expect(seen.error == nil)
    _ = await live.all()
    _ = await states.all()
    #expect(await manager.updates.all().elements.isEmpty)
    #expect(await manager.liveUpdates.all().elements.isEmpty)
    await manager.shutdown()
    #expect(backend.runCount == 1)
  }

  @Test func afterAFailureANewStreamTriesAgain() async throws {
    let backend = MockBackend(
      script: [.fail(LocationError(.unsupported, "Not today.")), .locations(fix(1)), .end])
    let manager = LocationManager(backend: backend)
    #expect(await manager.updates.all().error is LocationError)
    let second = await manager.updates.all()
    #expect(second.elements == [fix(1)])
    #expect(second.error == nil)
  }
}
