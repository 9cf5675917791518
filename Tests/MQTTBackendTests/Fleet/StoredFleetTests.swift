import AsyncLocation
import Foundation
import LocationFleet
import LocationStorage
import MockBackend
import TestSupport
import Testing

@testable import MQTTBackend

/// The guarantees of a fleet with a storage across restarts, with each storage.
@Suite(.inTurn)
struct StoredFleetTests {
  // MARK: Restarts

  @Test(
    "F76 inside, server down, outside, back: each crossing is reported once",
    arguments: FleetEngine.all)
  func crossingWhileAway(engine: FleetEngine) async throws {
    let folder = try TestFolder()
    let storage = try await engine.storage(in: folder)
    var events: [FleetEvent] = []
    var test = try await TestFleet(storage: storage)
    let revision = try test.fleet.add(depot, identifier: "depot")
    var iterator = test.fleet.unfinishedEvents.makeAsyncIterator()
    test.hub.receive("a/a", "100 47")
    test.hub.flush()
    events.append(try #require(try await iterator.next()))
    // Requesting another event finishes the first one.
    test.hub.receive("b/b", "100 47")
    test.hub.flush()
    events.append(try #require(try await iterator.next()))
    await test.fleet.shutdown()
    #expect(try await iterator.next() == nil)

    test = try await TestFleet(storage: storage)
    #expect(test.fleet.conditions(satisfiedBy: id("a/a")) == ["depot"])
    #expect(test.fleet.device(id("a/a"))?.location == location(at: 100))
    #expect(test.fleet.device(id("a/a"))?.presence == .unknown)
    #expect(try test.fleet.add(depot, identifier: "depot") == revision)
    // The broker sends the retained message, and then the messages that were sent during the
    // downtime.
    test.hub.receive("a/a", "100 47", isRetained: true)
    test.hub.receive("a/a", "500 48")
    test.hub.receive("a/a", "1000 47")
    test.hub.receive("a/a", "1200 47")
    test.hub.flush()
    iterator = test.fleet.unfinishedEvents.makeAsyncIterator()
    for _ in 0..<3 { events.append(try #require(try await iterator.next())) }
    await test.fleet.shutdown()

    #expect(events.map(\.number) == [1, 2, 2, 3, 4])
    // The program ended before it requested the event after the second one.
    #expect(events.map(\.isRepeated) == [false, false, true, false, false])
    #expect(events.map(\.device) == ["a/a", "b/b", "b/b", "a/a", "a/a"].map(id))
    #expect(
      events.map(\.state) == [.satisfied, .satisfied, .satisfied, .unsatisfied, .satisfied])
    #expect(events.map(\.revision) == Array(repeating: revision, count: 5))
    #expect(events[3].location == location(at: 500, latitude: 48))
  }

  @Test("restarts between any two locations change no event", arguments: 0..<12 as Range<UInt64>)
  func restarts(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let folder = try TestFolder()
    let storage = SQLiteFleetStorage(file: "\(folder.path)/fleet.sqlite")
    let dwelling = try Condition(depot.subject, dwell: .seconds(40))
    var stored = try await TestFleet(storage: storage)
    // Subscribes before anything is received: events are delivered as soon as they are stored.
    var live = stored.fleet.events
    let plain = TestFleet()
    let plainEvents = plain.fleet.events
    for fleet in [stored.fleet, plain.fleet] {
      try fleet.add(depot, identifier: "depot")
      try fleet.add(dwelling, identifier: "dwelling")
    }
    var events: [FleetEvent] = []
    var time = 100
    for _ in 0..<60 {
      time += Int.random(in: 1...30, using: &random)
      let name = Bool.random(using: &random) ? "a/a" : "b/b"
      let payload = "\(time) \(Bool.random(using: &random) ? 47 : 47.02)"
      stored.hub.receive(name, payload)
      plain.hub.receive(name, payload)
      guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
      await stored.fleet.shutdown()
      for try await event in live { events.append(event) }
      stored = try await TestFleet(storage: storage)
      live = stored.fleet.events
    }
    await stored.fleet.shutdown()
    for try await event in live { events.append(event) }
    await plain.fleet.shutdown()
    var expected: [FleetEvent] = []
    for try await event in plainEvents { expected.append(event) }
    #expect(!expected.isEmpty)
    #expect(events.map(Crossing.init) == expected.map(Crossing.init))
    #expect(events.map(\.number) == Array(1...UInt64(expected.count)))
  }

  /// An event without the members that a storage adds.
  private struct Crossing: Equatable {
    let device: FleetDevice.ID
    let identifier: String
    let states: [Monitor.State]
    let location: Location

    init(_ event: FleetEvent) {
      (device, identifier, location) = (event.device, event.identifier, event.location)
      states = [event.previousState, event.state]
    }
  }

  @Test("a shutdown stores waiting changes before it returns", arguments: FleetEngine.all)
  func shutdown(engine: FleetEngine) async throws {
    let folder = try TestFolder()
    let storage = try await engine.storage(in: folder)
    let test = try await TestFleet(storage: storage)
    test.hub.receive("a/a", "100 47")
    await test.fleet.shutdown()
    let (session, stored) = try await storage.open()
    #expect(stored.devices.map(\.location) == [location(at: 100)])
    await session.close()
  }

  @Test("a storage serves one fleet at a time", arguments: FleetEngine.all)
  func inUse(engine: FleetEngine) async throws {
    let folder = try TestFolder()
    let storage = try await engine.storage(in: folder)
    let test = try await TestFleet(storage: storage)
    let refused = await #expect(throws: LocationError.self) { _ = try await storage.open() }
    #expect(refused?.code == .storageUnavailable)
    await test.fleet.shutdown()
  }

  // MARK: Events

  @Test("an event is delivered after it is stored")
  func storedFirst() async throws {
    let storage = GatedStorage()
    let test = try await TestFleet(storage: storage)
    try test.fleet.add(depot, identifier: "depot")
    try await test.fleet.waitUntilStored()
    storage.set(.closed)
    let events = test.fleet.events
    let updates = test.fleet.updates
    var attempts = storage.attempts.makeAsyncIterator()
    test.hub.receive("a/a", "100 47")
    test.hub.flush()
    await attempts.next()
    // The location is delivered without waiting for the storage.
    var updateIterator = updates.makeAsyncIterator()
    #expect(try await updateIterator.next()?.device == id("a/a"))
    #expect(test.hub.decide { state, _ in state.storing.queue.isEmpty })
    storage.set(.open)
    var eventIterator = events.makeAsyncIterator()
    #expect(try await eventIterator.next()?.number == 1)
    #expect(
      storage.commits.contains { changes in
        changes.contains { if case .event = $0 { true } else { false } }
      })
    await test.fleet.shutdown()
  }

  @Test("the event of a consumer that leaves or is cancelled is delivered again")
  func givingBack() async throws {
    let test = try await TestFleet(storage: MemoryFleetStorage())
    try test.fleet.add(depot, identifier: "depot")
    for name in ["a/a", "b/b"] { test.hub.receive(name, "100 47") }
    test.hub.flush()
    for try await event in test.fleet.unfinishedEvents {
      #expect(!event.isRepeated)
      break
    }
    var iterator = test.fleet.unfinishedEvents.makeAsyncIterator()
    let again = try await iterator.next()
    #expect(again?.number == 1 && again?.isRepeated == true)
    #expect(try await iterator.next()?.number == 2)
    // No event waits, so a cancelled task ends.
    let events = test.fleet.unfinishedEvents
    let task = Task {
      var iterator = events.makeAsyncIterator()
      return try await iterator.next()
    }
    task.cancel()
    #expect(try await task.value == nil)
    await test.fleet.shutdown()
    #expect(try await iterator.next() == nil)
  }

  @Test("a program waits until its consumer has finished the events so far")
  func waitingForConsumers() async throws {
    let test = try await TestFleet(storage: MemoryFleetStorage())
    try test.fleet.add(depot, identifier: "depot")
    await test.fleet.waitUntilEventsAreFinished()
    for name in ["a/a", "b/b"] { test.hub.receive(name, "100 47") }
    test.hub.flush()
    let waiting = Task.immediate { await test.fleet.waitUntilEventsAreFinished() }
    // This event arrives later, so it is not waited for.
    test.hub.receive("c/c", "100 47")
    test.hub.flush()
    var iterator = test.fleet.unfinishedEvents.makeAsyncIterator()
    for number: UInt64 in 1...2 {
      #expect(try await iterator.next()?.number == number)
      #expect(test.hub.decide { state, _ in state.storing.queue.hasEvent(through: 2) })
    }
    #expect(try await iterator.next()?.number == 3)
    await waiting.value
    let last = Task.immediate { await test.fleet.waitUntilEventsAreFinished() }
    last.cancel()
    await last.value
    await test.fleet.shutdown()
    await test.fleet.waitUntilEventsAreFinished()
  }

  @Test("two consumers share the events")
  func sharing() async throws {
    let test = try await TestFleet(storage: MemoryFleetStorage())
    try test.fleet.add(depot, identifier: "depot")
    let names = (0..<20).map { "a/\($0)" }
    for name in names { test.hub.receive(name, "100 47") }
    test.hub.flush()
    let received = Locked<[UInt64]>([])
    let events = test.fleet.unfinishedEvents
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          do {
            for try await event in events {
              let count = received.withLock { received in
                received.append(event.number)
                return received.count
              }
              if count == names.count { await test.fleet.shutdown() }
            }
          } catch {
            Issue.record(error)
          }
        }
      }
    }
    #expect(received.withLock(\.self).sorted() == Array(1...20))
  }

  @Test("calls that need a storage throw without one")
  func withoutStorage() async throws {
    let test = TestFleet()
    #expect(test.fleet.history == nil)
    var iterator = test.fleet.unfinishedEvents.makeAsyncIterator()
    let unsupported = await #expect(throws: LocationError.self) { _ = try await iterator.next() }
    #expect(unsupported?.code == .unsupported)
    let refused = await #expect(throws: LocationError.self) {
      try await test.fleet.waitUntilStored()
    }
    #expect(refused?.code == .unsupported)
  }

  @Test("the oldest unfinished events are discarded beyond their limit")
  func discarding() async throws {
    var limits = FleetLimits()
    limits.unfinishedEvents = 3
    let storage = MemoryFleetStorage()
    let test = try await TestFleet(limits: limits, storage: storage)
    try test.fleet.add(depot, identifier: "depot")
    for index in 0..<10 { test.hub.receive("a/\(index)", "100 47") }
    test.hub.flush()
    try await test.fleet.waitUntilStored()
    #expect(test.fleet.statistics.discardedEvents == 7)
    await test.fleet.shutdown()
    let (session, stored) = try await storage.open()
    #expect(stored.events.map(\.number) == [8, 9, 10])
    await session.close()
  }

  // MARK: Forgetting

  @Test(
    "F82 a device that returns while it is being forgotten has its events, and only the new ones")
  func returning() async throws {
    let storage = GatedStorage()
    let test = try await TestFleet(storage: storage)
    try test.fleet.add(depot, identifier: "depot")
    try await test.fleet.waitUntilStored()
    storage.set(.closed)
    var attempts = storage.attempts.makeAsyncIterator()
    let events = test.fleet.events
    test.hub.receive("a/a", "100 47")
    test.hub.flush()
    await attempts.next()
    // Its first event is being stored.
    test.fleet.forget(id("a/a"))
    test.hub.receive("a/a", "200 47")
    test.hub.flush()
    storage.set(.open)
    try await test.fleet.waitUntilStored()
    await test.fleet.shutdown()
    var numbers: [UInt64] = []
    for try await event in events { numbers.append(event.number) }
    #expect(numbers == [2])
  }

  @Test("F82 a device that is forgotten leaves nothing", arguments: FleetEngine.all)
  func forgetting(engine: FleetEngine) async throws {
    let folder = try TestFolder()
    let storage = try await engine.storage(in: folder)
    let test = try await TestFleet(storage: storage)
    try test.fleet.add(depot, identifier: "depot")
    for time in 0..<600 {
      test.hub.receive("jane/secretphone", "\(time) 47")
      test.hub.receive("b/b", "\(time) 47")
    }
    test.hub.flush()
    try await test.fleet.waitUntilStored()
    let history = try #require(test.fleet.history)
    #expect(try await history.track(of: id("jane/secretphone")).locations.count == 600)
    test.fleet.forget(id("jane/secretphone"))
    try await test.fleet.waitUntilStored()
    #expect(try await history.track(of: id("jane/secretphone")).locations.isEmpty)
    #expect(try await history.track(of: id("b/b")).locations.count == 600)
    await test.fleet.shutdown()
    if engine == .sqlite {
      for name in try folder.names() {
        let bytes = try folder.bytes(name)
        #expect(!bytes.contains(Array("secretphone".utf8)), "\(name)")
        #expect(bytes.contains(Array("b/b".utf8)) || name != "fleet.sqlite")
      }
    }
    let (session, stored) = try await storage.open()
    #expect(stored.devices.map(\.id) == [id("b/b")])
    #expect(stored.events.map(\.device) == [id("b/b")])
    await session.close()
  }

  // MARK: History

  @Test("the history has each location once, also late ones", arguments: FleetEngine.all)
  func history(engine: FleetEngine) async throws {
    let folder = try TestFolder()
    let test = try await TestFleet(storage: try await engine.storage(in: folder))
    for time in [100, 300, 300, 200, 200, 100, 400] { test.hub.receive("a/a", "\(time) 47") }
    test.hub.flush()
    try await test.fleet.waitUntilStored()
    let history = try #require(test.fleet.history)
    let times = try await history.track(of: id("a/a")).locations.map(\.timestampSeconds)
    #expect(times == [100, 200, 300, 400])
    let found = try await history.location(
      of: id("a/a"), at: Date(timeIntervalSinceReferenceDate: 250))
    #expect(found == location(at: 200))
    await test.fleet.shutdown()
  }
}
