import AsyncLocation
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

/// Commands to devices, through a real broker.
@Suite(.needsBroker, .inTurn) struct FleetCommandTests {
  private func fleet(_ broker: RealBroker) throws -> Fleet {
    try Fleet(FleetConfiguration(.local(broker)))
  }

  @Test("a command reaches its device, and the answer its server") func commands() async throws {
    let broker = try await RealBroker(FleetBrokerTests.unlimited)
    let device = try await BrokerSubscriber(to: "owntracks/jane/boat/cmd", of: broker)
    let fleet = try fleet(broker)
    let updates = fleet.updates
    // The call waits for the connection.
    try await fleet.send(CommandMessage(.reportLocation), to: id("jane/boat"))
    let received = try #require(await device.next())
    #expect(
      received.payload == #"{"_type":"cmd","action":"reportLocation"}"#)
    let publisher = try await RawPublisher(to: broker.port)
    try await publisher.publish([.location(5)])
    var iterator = updates.makeAsyncIterator()
    #expect(try await iterator.next()?.device == id("jane/boat"))
    await fleet.shutdown()
    let error = await #expect(throws: LocationError.self) {
      try await fleet.send(CommandMessage(.dump), to: id("jane/boat"))
    }
    #expect(error?.code == .shutDown)
  }

  @Test("a command that the broker's rules refuse is denied") func refusal() async throws {
    let broker = try await RealBroker(
      ["allow_anonymous true", "acl_file $FOLDER/rules"], files: ["rules": "topic read #\n"])
    let fleet = try fleet(broker)
    let error = await #expect(throws: LocationError.self) {
      try await fleet.send(CommandMessage(.dump), to: id("jane/boat"))
    }
    #expect(error?.code == .denied)
    #expect(error?.message.contains("owntracks/jane/boat/cmd") == true)
    await fleet.shutdown()
  }

  @Test("a call that waits for a connection ends when it is cancelled, or with the fleet")
  func withoutConnection() async throws {
    // Nothing listens on port 1.
    let fleet = try Fleet(FleetConfiguration(.local(port: 1)))
    let cancelled = Task.immediate {
      try await fleet.send(CommandMessage(.dump), to: id("jane/boat"))
    }
    let waiting = Task.immediate {
      try await fleet.send(CommandMessage(.dump), to: id("jane/boat"))
    }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    let cancelledBeforeSending = Task { () throws in
      withUnsafeCurrentTask { $0?.cancel() }
      try await fleet.send(CommandMessage(.dump), to: id("jane/boat"))
    }
    await #expect(throws: CancellationError.self) { try await cancelledBeforeSending.value }
    await fleet.shutdown()
    let error = await #expect(throws: LocationError.self) { try await waiting.value }
    #expect(error?.code == .shutDown)
  }
}
