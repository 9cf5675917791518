import AsyncLocation
import Foundation
import Glibc
import MockBackend
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

/// A backend that follows one device, with a real broker.
@Suite(.needsBroker, .inTurn)
struct MQTTBackendTests {
  static func topic() throws -> OwnTracksTopic { try OwnTracksTopic(user: "jane", device: "boat") }

  @Test func aPublishersLocationsReachAManager() async throws {
    let broker = try await RealBroker()
    let manager = LocationManager(
      backend: MQTTBackend(.local(broker), topic: try Self.topic()))
    let updates = manager.updates
    await broker.waitForSubscribers(1)
    let bench = try PublisherBench(broker)
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<10)
    var seconds: [Int] = []
    for try await location in updates {
      seconds.append(location.secondsSinceStart)
      #expect(location.sourceInformation?.device == "jane/boat")
      if seconds.count == 10 { break }
    }
    #expect(seconds == Array(0..<10))
    run.cancel()
    _ = await run.result
    await manager.shutdown()
  }

  @Test func theRetainedLocationComesFirst() async throws {
    let broker = try await RealBroker()
    let device = try await RawPublisher(to: broker.port)
    try await device.publish([.location(3), .location(7, isRetained: true)])
    let manager = LocationManager(
      backend: MQTTBackend(.local(broker), topic: try Self.topic()))
    var iterator = manager.updates.makeAsyncIterator()
    #expect(try await iterator.next()?.secondsSinceStart == 7)
    try await device.publish([.location(8)])
    #expect(try await iterator.next()?.secondsSinceStart == 8)
    await manager.shutdown()
  }

  @Test func locationsContinueAfterABrokerRestart() async throws {
    let broker = try await RealBroker(["allow_anonymous true", "persistence false"])
    let manager = LocationManager(
      backend: MQTTBackend(.local(broker), topic: try Self.topic()))
    var iterator = manager.updates.makeAsyncIterator()
    for round in 0..<3 {
      await broker.waitForSubscribers(1)
      let device = try await RawPublisher(to: broker.port)
      // From the second round on, the first location was delivered before and is dropped.
      try await device.publish([.location(round), .location(round + 1)])
      if round == 0 { #expect(try await iterator.next()?.secondsSinceStart == 0) }
      #expect(try await iterator.next()?.secondsSinceStart == round + 1)
      await broker.stop(SIGKILL)
      try await broker.start()
    }
    await manager.shutdown()
  }

  @Test func messagesBecomeEvents() async throws {
    let broker = try await RealBroker()
    let backend = MQTTBackend(.local(broker), topic: try Self.topic())
    let (events, sink) = AsyncStream.makeStream(of: BackendEvent.self)
    let run = Task {
      try await backend.run(BackendDemand(kinds: .locations)) { events in
        for event in events { sink.yield(event) }
      }
    }
    await broker.waitForSubscribers(1)
    let device = try await RawPublisher(to: broker.port)
    try await device.publish([
      .location(5), .location(5), .location(4),  // Repeated and late.
      RawPublisher.Message("owntracks/jane/boat", "{}"),
      RawPublisher.Message("owntracks/jane/boat", "\u{0}garbage"),
      RawPublisher.Message("owntracks/jane/boat", ""),
      .location(9, of: "jane/car"), .location(9, of: "jane/boat/event"),
      .lastWill(),
      RawPublisher.Message(
        "owntracks/jane/boat", #"{"_type":"location","lat":1,"lon":2,"tst":9999999999}"#),
      .location(6),
    ])
    var seen: [String] = []
    for await event in events {
      switch event {
      case .location(let location): seen.append("location \(location.secondsSinceStart)")
      case .unavailable(let error): seen.append("unavailable \(error.code)")
      case .connection(let state): #expect(state.phase != .waiting)
      default: seen.append("\(event)")
      }
      if seen.last == "location 6" { break }
    }
    // The first malformed message, and the last will. Further drops are not reported.
    let unknown = "unavailable locationUnknown"
    #expect(seen == ["location 5", unknown, unknown, "location 6"])
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.value }
  }

  /// A client with an identifier gets the messages that were sent while it was disconnected. For a
  /// client without one, the broker keeps no session.
  @Test(arguments: [nil, "display"])
  func theBrokerKeepsTheSessionOfANamedClient(_ identifier: String?) async throws {
    let broker = try await RealBroker()
    var configuration = MQTTConfiguration.local(broker)
    configuration.clientIdentifier = identifier
    let backend = MQTTBackend(configuration, topic: try Self.topic())
    let device = try await RawPublisher(to: broker.port)
    try await device.publish([.location(0, isRetained: true)])
    for (round, expected) in [[0], identifier == nil ? [3] : [1, 2, 3]].enumerated() {
      let (events, sink) = AsyncStream.makeStream(of: BackendEvent.self)
      let run = Task {
        try await backend.run(BackendDemand(kinds: .locations)) { events in
          for event in events { sink.yield(event) }
        }
      }
      var seconds: [Int] = []
      for await case .location(let location) in events {
        seconds.append(location.secondsSinceStart)
        if seconds.last == expected.last { break }
      }
      #expect(seconds == expected, "run \(round)")
      run.cancel()
      _ = await run.result
      await broker.waitForEnds(round + 1)
      if round == 0 {
        try await device.publish([.location(1), .location(2), .location(3, isRetained: true)])
      }
    }
  }

  @Test func anIdleConnectionIsKeptAlive() async throws {
    let broker = try await RealBroker()
    let relay = Relay(to: broker.port)
    var configuration = MQTTConfiguration.local(broker)
    (configuration.port, configuration.keepAlive) = (relay.port, .seconds(5))
    let backend = MQTTBackend(configuration, topic: try Self.topic())
    let run = Task { try await backend.run(BackendDemand(kinds: .locations)) { _ in } }
    await broker.waitForLog("Sending PINGRESP", count: 2)
    #expect(relay.accepted == 1)
    run.cancel()
    _ = await run.result
  }
}
