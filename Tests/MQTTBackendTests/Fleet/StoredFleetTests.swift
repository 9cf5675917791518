import AsyncLocation
import Foundation
import LocationFleet
import LocationStorage
import MockBackend
import TestSupport
import Testing

@testable import MQTTBackend

/// What a fleet with a storage promises, with each storage.
@Suite(.inTurn)
struct StoredFleetTests {
  enum Engine: String, CaseIterable, Sendable {
    case memory, sqlite

    func storage(in folder: TestFolder) -> any FleetStorage {
      switch self {
      case .memory: MemoryFleetStorage()
      case .sqlite: SQLiteFleetStorage(file: "\(folder.path)/fleet.sqlite")
      }
    }
  }

  private static let depot = try! Condition.circle(
    center: Coordinate(latitude: 47, longitude: 8), radius: 1_000)

  // MARK: Restarts

  @Test(
    "F76 inside, server down, outside, back: each crossing is reported once",
    arguments: Engine.allCases)
  func crossingWhileAway(engine: Engine) async throws {
    let folder = try TestFolder()
    let storage = engine.storage(in: folder)
    var events: [FleetEvent] = []
    var test = try await TestFleet(storage: storage)
    let revision = try test.fleet.add(Self.depot, identifier: "depot")
    var iterator = test.fleet.unfinishedEvents.makeAsyncIterator()
    test.hub.receive("a/a", "100 47")
    test.hub.flush()
    events.append(try #require(try await iterator.next()))
    // Another event, so that the first is finished.
    test.hub.receive("b/b", "100 47")
    test.hub.flush()
    events.append(try #require(try await iterator.next()))
    await test.fleet.shutdown()
    #expect(try await iterator.next() == nil)

    test = try await TestFleet(storage: storage)
    #expect(test.fleet.conditions(satisfiedBy: id("a/a")) == ["depot"])
    #expect(test.fleet.device(id("a/a"))?.location == location(at: 100))
    #expect(test.fleet.device(id("a/a"))?.presence == .unknown)
    #expect(try test.fleet.add(Self.depot, identifier: "depot") == revision)
    // The broker sends again what it kept, and then what followed meanwhile.
    test.hub.receive("a/a", "100 47", isRetained: true)
    test.hub.receive("a/a", "500 48")
    test.hub.receive("a/a", "1000 47")
    test.hub.receive("a/a", "1200 47")
    test.hub.flush()
    iterator = test.fleet.unfinishedEvents.makeAsyncIterator()
    for _ in 0..<3 { events.append(try #require(try await iterator.next())) }
    await test.fleet.shutdown()

    #expect(events.map(\.number) == [1, 2, 2, 3, 4])
    // The program ended before it asked for the event after the second one.
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
    let dwelling = try Condition(Self.depot.subject, dwell: .seconds(40))
    var stored = try await TestFleet(storage: storage)
    let plain = TestFleet()
    let plainEvents = plain.fleet.events
    for fleet in [stored.fleet, plain.fleet] {
      try fleet.add(Self.depot, identifier: "depot")
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
      let live = stored.fleet.events
      await stored.fleet.shutdown()
      for try await event in live { events.append(event) }
      stored = try await TestFleet(storage: storage)
    }
    let live = stored.fleet.events
    await stored.fleet.shutdown()
    for try await event in live { events.append(event) }
    await plain.fleet.shutdown()
    var expected: [FleetEvent] = []
    for try await event in plainEvents { expected.append(event) }
    #expect(!expected.isEmpty)
    #expect(events.map(Crossing.init) == expected.map(Crossing.init))
    #expect(events.map(\.number) == Array(1...UInt64(expected.count)))
  }

  /// An event without what a storage adds.
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

  @Test("what waits at the shutdown is stored before it returns", arguments: Engine.allCases)
  func shutdown(engine: Engine) async throws {
    let folder = try TestFolder()
    let storage = engine.storage(in: folder)
    let test = try await TestFleet(storage: storage)
    test.hub.receive("a/a", "100 47")
    await test.fleet.shutdown()
    let (session, stored) = try await storage.open()
    #expect(stored.devices.map(\.location) == [location(at: 100)])
    await session.close()
  }

  @Test("a storage serves one fleet at a time", arguments: Engine.allCases)
  func inUse(engine: Engine) async throws {
    let folder = try TestFolder()
    let storage = engine.storage(in: folder)
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
    try test.fleet.add(Self.depot, identifier: "depot")
    try await test.fleet.waitUntilStored()
    storage.set(.closed)
    let events = test.fleet.events
    let updates = test.fleet.updates
    var attempts = storage.attempts.makeAsyncIterator()
    test.hub.receive("a/a", "100 47")
    test.hub.flush()
    await attempts.next()
    // The location waits for nothing.
    var update = updates.makeAsyncIterator()
    #expect(try await update.next()?.device == id("a/a"))
    #expect(test.hub.decide { state, _ in state.storing.queue.isEmpty })
    storage.set(.open)
    var event = events.makeAsyncIterator()
    #expect(try await event.next()?.number == 1)
    #expect(
      storage.commits.contains { changes in
        changes.contains { if case .event = $0 { true } else { false } }
      })
    await test.fleet.shutdown()
  }

  @Test("a consumer that leaves, or is cancelled, gives its event back")
  func givingBack() async throws {
    let test = try await TestFleet(storage: MemoryFleetStorage())
    try test.fleet.add(Self.depot, identifier: "depot")
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
    // Nothing waits, so a cancelled task ends.
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

  @Test("two consumers share the events")
  func sharing() async throws {
    let test = try await TestFleet(storage: MemoryFleetStorage())
    try test.fleet.add(Self.depot, identifier: "depot")
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

  @Test("without a storage, what needs one says so")
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
    try test.fleet.add(Self.depot, identifier: "depot")
    for index in 0..<10 { test.hub.receive("a/\(index)", "100 47") }
    test.hub.flush()
    try await test.fleet.waitUntilStored()
    #expect(test.fleet.statistics.discardedEvents == 7)
    await test.fleet.shutdown()
    let (session, stored) = try await storage.open()
    #expect(stored.events.map(\.number) == [8, 9, 10])
    await session.close()
  }

  // MARK: Failures

  @Test("F77 a storage that fails: everything waits, and is stored once when it can be written")
  func failure() async throws {
    let storage = GatedStorage()
    let test = try await TestFleet(storage: storage)
    try test.fleet.add(Self.depot, identifier: "depot")
    try await test.fleet.waitUntilStored()
    var changes = test.fleet.changes.makeAsyncIterator()
    storage.set(.broken)
    var attempts = storage.attempts.makeAsyncIterator()
    test.hub.receive("a/a", "100 47")
    test.hub.flush()
    await attempts.next()
    #expect(try await changes.next() == .added(id("a/a")))
    #expect(try await changes.next() == .online(id("a/a")))
    #expect(try await changes.next() == .storageFailed)
    #expect(test.fleet.storageProblem?.code == .storageUnavailable)
    test.hub.receive("a/a", "900 48")
    test.hub.flush()
    #expect(test.hub.decide { state, _ in state.storing.queue.isEmpty })
    await test.clock.step()
    await attempts.next()
    storage.set(.open)
    await test.clock.step()
    var events = test.fleet.unfinishedEvents.makeAsyncIterator()
    #expect(try await events.next()?.state == .satisfied)
    #expect(try await events.next()?.state == .unsatisfied)
    #expect(try await changes.next() == .storageRecovered)
    #expect(test.fleet.storageProblem == nil)
    await test.fleet.shutdown()
  }

  @Test("a storage that began anew gets everything but the history")
  func loss() async throws {
    let storage = GatedStorage()
    let test = try await TestFleet(storage: storage)
    try test.fleet.add(Self.depot, identifier: "depot", for: .users(["a"]))
    test.hub.receive("a/a", "100 47")
    test.hub.flush()
    try await test.fleet.waitUntilStored()
    storage.set(.broken)
    storage.lose()
    var attempts = storage.attempts.makeAsyncIterator()
    test.hub.receive("b/b", "100 47")
    test.hub.flush()
    await attempts.next()
    storage.set(.open)
    await test.clock.step()
    try await test.fleet.waitUntilStored()
    let whole = try #require(storage.commits.last)
    let again = MemoryFleetStorage()
    let (session, _) = try await again.open()
    try await session.commit(whole)
    await session.close()
    let (_, stored) = try await again.open()
    #expect(Set(stored.devices.map(\.id)) == [id("a/a"), id("b/b")])
    #expect(stored.conditions.map(\.condition.audience) == [.users(["a"])])
    #expect(stored.events.map(\.number) == [1])
    #expect(stored.devices.contains { $0.states != nil })
    await test.fleet.shutdown()
  }

  @Test("a storage that began anew gets the last numbers, and what was decided while it failed")
  func lossWhileDeciding() async throws {
    let memory = MemoryFleetStorage()
    let storage = GatedStorage()
    let test = try await TestFleet(storage: storage)
    try test.fleet.add(Self.depot, identifier: "depot")
    try test.fleet.add(Self.depot, identifier: "gone")
    test.hub.receive("a/a", "100 47")
    test.hub.flush()
    // Finishes both events of it.
    var events = test.fleet.unfinishedEvents.makeAsyncIterator()
    for _ in 0..<2 { _ = try await events.next() }
    test.fleet.remove("gone")
    storage.set(.broken)
    storage.lose()
    var attempts = storage.attempts.makeAsyncIterator()
    test.hub.receive("b/b", "100 48")
    test.hub.flush()
    await attempts.next()
    // Waits behind the commit that fails.
    test.hub.receive("a/a", "900 48")
    test.hub.flush()
    storage.set(.open)
    await test.clock.step()
    #expect(try await events.next()?.number == 3)
    #expect(test.fleet.storageLoss != nil)
    // The commit that follows the loss is enough for another process.
    let whole = try #require(
      storage.commits.first { $0.contains { if case .numbers = $0 { true } else { false } } })
    let (session, _) = try await memory.open()
    try await session.commit(whole)
    await session.close()
    let (_, stored) = try await memory.open()
    #expect(stored.lastNumber == 3)
    #expect(stored.lastRevision == 2)
    #expect(stored.events.contains { $0.number == 3 })
    #expect(
      stored.devices.first { $0.id == id("a/a") }?.location == location(at: 900, latitude: 48))
    await test.fleet.shutdown()
  }

  @Test("what an earlier content lacks is said")
  func lossAtTheStart() async throws {
    let folder = try TestFolder()
    let path = try folder.write(
      Array("SQLite format 3\0".utf8) + Array(repeating: 0, count: 52) + Array("ALFl".utf8)
        + Array(repeating: 7, count: 9_000), to: "fleet.sqlite")
    let test = try await TestFleet(storage: SQLiteFleetStorage(file: path))
    #expect(test.fleet.storageLoss?.message.contains("corrupt-") == true)
    await test.fleet.shutdown()
  }

  @Test("beyond the limit the history loses locations, and the last states stay")
  func condensing() async throws {
    var limits = FleetLimits()
    limits.unstoredChanges = 50
    let storage = GatedStorage()
    let test = try await TestFleet(limits: limits, storage: storage)
    try test.fleet.add(Self.depot, identifier: "depot")
    try await test.fleet.waitUntilStored()
    storage.set(.closed)
    var attempts = storage.attempts.makeAsyncIterator()
    test.hub.receive("a/a", "1 47")
    test.hub.flush()
    await attempts.next()
    for time in 2...200 { test.hub.receive("a/a", "\(time * 10) \(time % 50 < 25 ? 47 : 48)") }
    test.hub.flush()
    storage.set(.open)
    try await test.fleet.waitUntilStored()
    let dropped = test.fleet.statistics.unstored
    #expect(dropped > 0)
    let history = try #require(test.fleet.history)
    let kept = try await history.track(of: id("a/a")).locations
    #expect(kept.count + Int(dropped) == 200)
    #expect(kept.last == test.fleet.device(id("a/a"))?.location)
    #expect(test.fleet.statistics.discardedEvents == 0)
    await test.fleet.shutdown()
  }

  @Test("a fleet that ends while its storage fails counts what is not stored")
  func endOfAFailure() async throws {
    let storage = GatedStorage()
    let test = try await TestFleet(storage: storage)
    storage.set(.broken)
    var attempts = storage.attempts.makeAsyncIterator()
    test.hub.receive("a/a", "100 47")
    test.hub.flush()
    await attempts.next()
    test.hub.receive("a/a", "200 47")
    test.hub.flush()
    await test.fleet.shutdown()
    #expect(test.fleet.statistics.unstored == 2)
    #expect(test.fleet.storageProblem != nil)
  }

  @Test(
    "a file that is removed or cut while it is in use gets everything again",
    arguments: [false, true])
  func removedFile(isCut: Bool) async throws {
    let folder = try TestFolder()
    let file = "\(folder.path)/fleet.sqlite"
    let test = try await TestFleet(storage: SQLiteFleetStorage(file: file))
    try test.fleet.add(Self.depot, identifier: "depot")
    test.hub.receive("a/a", "100 47")
    test.hub.flush()
    try await test.fleet.waitUntilStored()
    var changes = test.fleet.changes.makeAsyncIterator()
    if isCut {
      try Data().write(to: URL(fileURLWithPath: file))
    } else {
      for name in try folder.names() where !name.hasSuffix(".lock") {
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
      }
    }
    test.hub.receive("a/a", "200 47")
    test.hub.flush()
    #expect(try await changes.next() == .storageFailed)
    await test.clock.step()
    try await test.fleet.waitUntilStored()
    #expect(test.fleet.storageLoss != nil)
    await test.fleet.shutdown()
    let again = try await TestFleet(storage: SQLiteFleetStorage(file: file))
    #expect(again.fleet.conditions(satisfiedBy: id("a/a")) == ["depot"])
    #expect(again.fleet.device(id("a/a"))?.location == location(at: 200))
    await again.fleet.shutdown()
  }

  @Test("a fleet that is released stores what it has received")
  func release() async throws {
    let storage = MemoryFleetStorage()
    var test: TestFleet? = try await TestFleet(storage: storage)
    test?.hub.receive("a/a", "100 47")
    test?.hub.flush()
    test = nil
    while true {
      // Open until everything is stored.
      guard let (session, stored) = try? await storage.open() else {
        await Task.yield()
        continue
      }
      #expect(stored.devices.map(\.id) == [id("a/a")])
      await session.close()
      return
    }
  }

  // MARK: Forgetting

  @Test(
    "F82 a device that returns while it is being forgotten has its events, and only the new ones")
  func returning() async throws {
    let storage = GatedStorage()
    let test = try await TestFleet(storage: storage)
    try test.fleet.add(Self.depot, identifier: "depot")
    try await test.fleet.waitUntilStored()
    storage.set(.closed)
    var attempts = storage.attempts.makeAsyncIterator()
    let events = test.fleet.events
    test.hub.receive("a/a", "100 47")
    test.hub.flush()
    await attempts.next()
    // Its first event is under way.
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

  @Test("F82 a device that is forgotten leaves nothing", arguments: Engine.allCases)
  func forgetting(engine: Engine) async throws {
    let folder = try TestFolder()
    let storage = engine.storage(in: folder)
    let test = try await TestFleet(storage: storage)
    try test.fleet.add(Self.depot, identifier: "depot")
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

  // MARK: Conditions

  @Test("a condition is for the devices of its audience alone")
  func audiences() async throws {
    let test = TestFleet()
    try test.fleet.add(Self.depot, identifier: "all")
    try test.fleet.add(Self.depot, identifier: "user", for: .users(["a"]))
    try test.fleet.add(Self.depot, identifier: "devices", for: .devices([id("a/a"), id("b/b")]))
    let names = ["a/a", "a/c", "b/b", "c/c"]
    for name in names { test.hub.receive(name, "100 47") }
    #expect(
      names.map { test.fleet.conditions(satisfiedBy: id($0)) } == [
        ["all", "devices", "user"], ["all", "user"], ["all", "devices"], ["all"],
      ])
    #expect(throws: LocationError.self) {
      try test.fleet.add(Self.depot, identifier: "none", for: .users(["a/b"]))
    }
  }

  @Test("a condition that is for fewer devices goes on, also for those outside")
  func narrowing() async throws {
    let test = TestFleet()
    let revision = try test.fleet.add(Self.depot, identifier: "depot")
    let events = test.fleet.events
    for name in ["a/a", "a/b", "b/b"] { test.hub.receive(name, "100 \(name == "a/a" ? 48 : 47)") }
    #expect(try test.fleet.add(Self.depot, identifier: "depot", for: .users(["a"])) == revision)
    #expect(
      try test.fleet.add(Self.depot, identifier: "depot", for: .devices([id("a/a"), id("a/b")]))
        == revision)
    // A fix is not enough for a crossing from outside, and that of b/b is none.
    test.hub.receive("a/a", "110 47")
    test.hub.receive("a/a", "140 47")
    test.hub.receive("b/b", "200 48")
    await test.fleet.shutdown()
    var received: [FleetEvent] = []
    for try await event in events { received.append(event) }
    #expect(received.map(\.device) == ["a/b", "b/b", "a/a"].map(id))
    #expect(received.last?.previousState == .unsatisfied)
    #expect(received.last?.location == location(at: 140))
  }

  @Test("other conditions change what is different alone", arguments: Engine.allCases)
  func reloading(engine: Engine) async throws {
    let folder = try TestFolder()
    let storage = engine.storage(in: folder)
    var test = try await TestFleet(storage: storage)
    let other = try Condition.circle(
      center: Coordinate(latitude: 48, longitude: 8), radius: 1_000)
    func condition(
      _ identifier: String, _ condition: Condition, _ audience: FleetCondition.Audience = .all
    ) -> FleetCondition {
      FleetCondition(identifier: identifier, condition: condition, audience: audience)
    }
    let first = [
      condition("kept", Self.depot), condition("moved", Self.depot), condition("gone", Self.depot),
      condition("narrowed", Self.depot),
    ]
    #expect(
      try test.fleet.replaceConditions(with: first)
        == FleetConditionDifference(added: ["kept", "moved", "gone", "narrowed"]))
    for name in ["a/a", "b/b"] { test.hub.receive(name, "100 47") }
    test.hub.flush()
    await test.fleet.shutdown()
    test = try await TestFleet(storage: storage)
    let events = test.fleet.events
    let second = [
      condition("kept", Self.depot), condition("moved", other),
      condition("narrowed", Self.depot, .users(["a"])), condition("new", other),
    ]
    #expect(
      try test.fleet.replaceConditions(with: second)
        == FleetConditionDifference(
          added: ["new"], replaced: ["moved"], readdressed: ["narrowed"], removed: ["gone"]))
    #expect(try test.fleet.replaceConditions(with: second).isEmpty)
    for name in ["a/a", "b/b"] { test.hub.receive(name, "200 47") }
    test.hub.flush()
    await test.fleet.shutdown()
    // Nobody crossed a boundary.
    for try await event in events { Issue.record("\(event)") }
    test = try await TestFleet(storage: storage)
    #expect(test.fleet.conditions(satisfiedBy: id("a/a")) == ["kept", "narrowed"])
    #expect(test.fleet.conditions(satisfiedBy: id("b/b")) == ["kept"])
    #expect(test.fleet.conditionCount == 4)
    await test.fleet.shutdown()
  }

  @Test("conditions of which one is not valid change nothing")
  func invalidConditions() throws {
    let test = TestFleet()
    try test.fleet.add(Self.depot, identifier: "depot")
    let valid = FleetCondition(identifier: "a", condition: Self.depot)
    for conditions in [
      [valid, valid], [valid, FleetCondition(identifier: "", condition: Self.depot)],
    ] {
      #expect(throws: LocationError.self) {
        try test.fleet.replaceConditions(with: conditions)
      }
      #expect(test.fleet.condition(for: "depot") != nil)
      #expect(test.fleet.conditionCount == 1)
    }
  }

  // MARK: History

  @Test("the history has each location once, also late ones", arguments: Engine.allCases)
  func history(engine: Engine) async throws {
    let folder = try TestFolder()
    let test = try await TestFleet(storage: engine.storage(in: folder))
    for time in [100, 300, 300, 200, 200, 100, 400] { test.hub.receive("a/a", "\(time) 47") }
    test.hub.flush()
    try await test.fleet.waitUntilStored()
    let history = try #require(test.fleet.history)
    let times = try await history.track(of: id("a/a")).locations.map(\.timestampSeconds)
    #expect(times == [100, 200, 300, 400])
    let at = try await history.location(
      of: id("a/a"), at: Date(timeIntervalSinceReferenceDate: 250))
    #expect(at == location(at: 200))
    await test.fleet.shutdown()
  }
}

extension FleetTrack {
  fileprivate var locations: [Location] {
    get async throws {
      var locations: [Location] = []
      for try await location in self { locations.append(location) }
      return locations
    }
  }
}
