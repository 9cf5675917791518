import AsyncLocation
import MockBackend
import TestSupport
import Testing

@testable import MQTTBackend

@Suite(.inTurn) struct FleetEndTests {
  @Test func shutdownEndsStreamsAfterBufferedElements() async throws {
    let test = TestFleet()
    let (updates, changes, events) = (test.fleet.updates, test.fleet.changes, test.fleet.events)
    let states = test.fleet.connectionStates
    test.hub.receive("a/a", "100")
    await test.fleet.shutdown()
    #expect(test.stops.withLock { $0 } == 1)
    test.hub.receive("a/a", "101")
    test.hub.flush()
    var received: [FleetUpdate] = []
    for try await update in updates { received.append(update) }
    #expect(received == [update("a/a", at: 100)])
    var changed: [FleetChange] = []
    for try await change in changes { changed.append(change) }
    #expect(changed == [.added(id("a/a")), .online(id("a/a"))])
    for try await _ in events {}
    for await state in states { #expect(state.phase == .idle) }
  }

  /// The broker treats messages as handled if they arrive before the connection is closed.
  @Test func shutdownDeliversMessagesArrivingMeanwhile() async throws {
    let hub = FleetHub()
    let fleet = Fleet(
      hub,
      FleetConnection(
        start: {}, stop: {},
        waitUntilStopped: {
          hub.receive("a/a", "100")
          hub.flush()
        }))
    let updates = fleet.updates
    await fleet.shutdown()
    var received: [FleetUpdate] = []
    for try await update in updates { received.append(update) }
    #expect(received == [update("a/a", at: 100)])
  }

  @Test func shutdownEndsAWaitingLoop() async throws {
    let test = TestFleet()
    let updates = test.fleet.updates
    let loop = Task.immediate { () throws in
      for try await _ in updates {}
    }
    await test.fleet.shutdown()
    try await loop.value
  }

  @Test func streamsAfterShutdownThrow() async throws {
    let test = TestFleet()
    await test.fleet.shutdown()
    await test.fleet.shutdown()
    for _ in 0..<2 {
      let error = await #expect(throws: LocationError.self) {
        for try await _ in test.fleet.updates {}
      }
      #expect(error?.code == .shutDown)
    }
    for await state in test.fleet.connectionStates { #expect(state.phase == .idle) }
  }

  @Test func aPermanentFailureEndsStreamsWithItsError() async throws {
    let test = TestFleet()
    let updates = test.fleet.updates
    let states = test.fleet.connectionStates
    test.hub.receive("a/a", "100")
    let refusal = LocationError(.denied, "The broker refused the password.")
    test.hub.changed(ConnectionState(.connecting))
    test.hub.changed(ConnectionState(.failed, problem: refusal))
    test.hub.changed(ConnectionState(.connecting))
    var iterator = updates.makeAsyncIterator()
    #expect(try await iterator.next() == update("a/a", at: 100))
    await #expect(throws: refusal) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
    await #expect(throws: refusal) {
      for try await _ in test.fleet.changes {}
    }
    var phases: [ConnectionState.Phase] = []
    for await state in states { phases.append(state.phase) }
    #expect(phases == [.idle, .connecting, .failed])
  }

  @Test func cancellationEndsAStreamAndNoOther() async throws {
    let test = TestFleet()
    let (cancelled, other) = (test.fleet.updates, test.fleet.updates)
    let loop = Task.immediate { () throws in
      for try await _ in cancelled { Issue.record("There was no location.") }
    }
    loop.cancel()
    try await loop.value
    test.hub.receive("a/a", "100")
    test.hub.flush()
    var iterator = other.makeAsyncIterator()
    #expect(try await iterator.next() == update("a/a", at: 100))
    #expect(cancelled.dropped == 0, "It is no longer subscribed.")
  }

  @Test func streamsKeepAFleetRunning() async throws {
    let (hub, stops) = (FleetHub(), Locked(0))
    var fleet: Fleet? = Fleet(
      hub, FleetConnection(start: {}, stop: { stops.withLock { $0 += 1 } }, waitUntilStopped: {}))
    var updates = fleet?.updates
    fleet = nil
    hub.receive("a/a", "100")
    hub.flush()
    #expect(stops.withLock { $0 } == 0)
    var iterator = updates?.makeAsyncIterator()
    #expect(try await iterator?.next() == update("a/a", at: 100))
    (updates, iterator) = (nil, nil)
    #expect(stops.withLock { $0 } == 1)
  }

  @Test func aReleasedStreamUnsubscribes() {
    let test = TestFleet()
    var streams = (0..<5).map { _ in test.fleet.updates }
    #expect(test.hub.subscriberCount == 5)
    streams.remove(at: 2)
    #expect(test.hub.subscriberCount == 4)
    streams = []
    #expect(test.hub.subscriberCount == 0)
  }
}
