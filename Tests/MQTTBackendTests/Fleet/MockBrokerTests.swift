import AsyncLocation
import FoundationEssentials
import LocationFleet
import MQTTBackend
import MockBackend
import OwnTracks
import TestSupport
import Testing

/// A fleet in a user's test, without a broker and without waiting.
@Suite(.inTurn)
struct MockBrokerTests {
  private let boat = FleetDevice.ID("jane/boat")!

  private func location(at time: Double, latitude: Double = 47) throws -> Location {
    try Location(
      latitude: latitude, longitude: 8, timestamp: Date(timeIntervalSinceReferenceDate: time),
      horizontalAccuracy: 5)
  }

  @Test("a fleet receives what is published, first the last retained message of each topic")
  func publishes() async throws {
    let broker = MockBroker()
    broker.publish(try location(at: 100), from: boat)
    broker.publish(try location(at: 101), from: boat)
    broker.publish(try location(at: 102), from: FleetDevice.ID("jane/car")!, isRetained: false)
    let fleet = try Fleet(broker: broker)
    #expect(broker.connectionCount == 0)
    var updates = fleet.updates.makeAsyncIterator()
    let first = try await updates.next()
    #expect(broker.connectionCount == 1)
    #expect(first == FleetUpdate(device: boat, location: try location(at: 101), isRetained: true))
    broker.publish(try location(at: 103), from: boat)
    #expect(try await updates.next()?.isRetained == false)
    #expect(fleet.device(boat)?.presence == .online)
    #expect(fleet.deviceCount == 1)
    await fleet.shutdown()
    #expect(try await updates.next() == nil)
    #expect(broker.connectionCount == 0)
    broker.publish(try location(at: 104), from: boat)
  }

  @Test("a fleet reconnects, and misses messages that were not retained")
  func reconnects() async throws {
    let broker = MockBroker()
    let fleet = try Fleet(broker: broker)
    let updates = fleet.updates
    var changes = fleet.changes.makeAsyncIterator()
    var states = fleet.connectionStates.makeAsyncIterator()
    #expect(await states.next()?.phase == .idle)
    broker.publish(try location(at: 100), from: boat)
    #expect(try await changes.next() == .added(boat))
    #expect(await states.next()?.phase == .connected)
    broker.disconnect()
    #expect(await states.next()?.problem?.code == .backendUnavailable)
    broker.publish(try location(at: 101), from: boat, isRetained: false)
    broker.publish(try location(at: 102), from: boat)
    broker.connect()
    #expect(await states.next()?.phase == .connected)
    await fleet.shutdown()
    var times: [Double] = []
    for try await update in updates {
      times.append(update.location.timestamp.timeIntervalSinceReferenceDate)
    }
    #expect(times == [100, 102])
    #expect(fleet.statistics.delivered == 2)
  }

  @Test("a fleet receives only its topics, and the messages below them on request")
  func filters() async throws {
    let broker = MockBroker()
    let card = Array(#"{"_type":"card","name":"Jane"}"#.utf8)
    var configuration = FleetConfiguration(user: "jane")
    let plain = try Fleet(configuration, broker: broker)
    configuration.includesAllMessages = true
    let whole = try Fleet(configuration, broker: broker)
    _ = (plain.devices, whole.devices)
    broker.publish(card, to: "owntracks/jane/boat/info")
    broker.publish(try location(at: 100), from: boat)
    broker.publish(try location(at: 100), from: FleetDevice.ID("joe/boat")!)
    broker.publish(try location(at: 100), from: boat, base: "other")
    #expect(plain.statistics.messages == 1)
    #expect(whole.statistics.messages == 2)
    await plain.shutdown()
    await whole.shutdown()
  }

  @Test("a command is acknowledged, and the test sees it")
  func commands() async throws {
    let broker = MockBroker()
    let fleet = try Fleet(broker: broker)
    try await fleet.send(CommandMessage(.reportLocation), to: boat)
    #expect(broker.received.map(\.topic) == ["owntracks/jane/boat/cmd"])
    let payload = broker.received[0].payload
    #expect(try OwnTracksMessage(json: payload).json == payload)
    await fleet.shutdown()
  }

  @Test("a fleet with a storage continues")
  func storage() async throws {
    let (broker, storage) = (MockBroker(), MemoryFleetStorage())
    let depot = try Condition.circle(
      center: Coordinate(latitude: 47, longitude: 8), radius: 1_000)
    var fleet = try await Fleet(broker: broker, storage: storage)
    try fleet.add(depot, identifier: "depot")
    var events = fleet.unfinishedEvents.makeAsyncIterator()
    broker.publish(try location(at: 100), from: boat)
    #expect(try await events.next()?.state == .satisfied)
    await fleet.shutdown()
    broker.publish(try location(at: 900, latitude: 48), from: boat)
    fleet = try await Fleet(broker: broker, storage: storage)
    events = fleet.unfinishedEvents.makeAsyncIterator()
    // The program ended while it handled the first event.
    #expect(try await events.next()?.isRepeated == true)
    #expect(try await events.next()?.state == .unsatisfied)
    await fleet.shutdown()
  }

  @Test("many threads publish while a fleet connects, and each device keeps its order")
  func concurrency() async throws {
    let broker = MockBroker()
    let fleet = try Fleet(broker: broker)
    let updates = fleet.updates
    let count = Rounds.of(200)
    await withTaskGroup(of: Void.self) { group in
      for device in 0..<4 {
        group.addTask {
          for time in 0..<count {
            broker.publish(
              try! location(at: Double(time)), from: FleetDevice.ID("user/\(device)")!)
          }
        }
      }
      group.addTask { _ = fleet.devices }
    }
    await fleet.shutdown()
    var last: [FleetDevice.ID: Double] = [:]
    for try await update in updates {
      let time = update.location.timestamp.timeIntervalSinceReferenceDate
      #expect(last[update.device].map { $0 < time } ?? true)
      last[update.device] = time
    }
    #expect(last.values.allSatisfy { $0 == Double(count - 1) })
    #expect(last.count == 4)
  }

  @Test("a group needs a real broker")
  func groups() throws {
    let error = #expect(throws: LocationError.self) {
      _ = try Fleet(FleetConfiguration(group: "archive"), broker: MockBroker())
    }
    #expect(error?.code == .unsupported)
  }
}
