import AsyncLocation
import LocationFleet
import MockBackend
import TestSupport
import Testing

@testable import MQTTBackend

/// MQTT 3.1.1 with RabbitMQ, whose retained messages reach no filter with wildcards.
@Suite(.needsRabbitMQ, .inTurn) struct RabbitMQTests {
  @Test("F80 RabbitMQ: order, confirmations, a session, a withdrawal, and no groups")
  func guarantees() async throws {
    let server = try await RealRabbitMQ()
    var configuration = MQTTConfiguration.local(port: server.port)
    configuration.clientIdentifier = "fleet"
    let storage = MemoryFleetStorage()
    let fleet = try await Fleet(FleetConfiguration(configuration), storage: storage)
    var updates = fleet.updates.makeAsyncIterator()
    await FleetBrokerTests.waitUntilConnected(fleet)
    let bench = try PublisherBench(
      port: server.port, options: PublisherOptions(confirmation: .stored))
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<200)
    for second in 0..<200 {
      #expect(try await updates.next()?.location.secondsSinceStart == second)
    }
    while bench.publisher.statistics.published < 200 { await Task.yield() }
    #expect(fleet.statistics.duplicates == 0)
    await fleet.shutdown()
    // The broker stores the next locations for the session of the fleet.
    try await bench.emit(200..<250)
    while bench.publisher.statistics.unconfirmed < 50 { await Task.yield() }
    let later = try await Fleet(FleetConfiguration(configuration), storage: storage)
    var laterUpdates = later.updates.makeAsyncIterator()
    for second in 200..<250 {
      #expect(try await laterUpdates.next()?.location.secondsSinceStart == second)
    }
    while bench.publisher.statistics.published < 250 { await Task.yield() }
    bench.backend.setAuthorization(.denied)
    let error = await #expect(throws: LocationError.self) { try await run.value }
    #expect(error?.code == .denied)
    #expect(bench.publisher.statistics.backlog.count == 0)
    await later.shutdown()
    var group = FleetConfiguration(configuration, group: "servers")
    group.broker.clientIdentifier = nil
    // Without it, a connection with MQTT 5 is closed without an answer, and tried again.
    group.broker.version = .mqtt311
    let refused = try Fleet(group)
    let refusal = await #expect(throws: LocationError.self) {
      for try await _ in refused.updates {}
    }
    #expect(refusal?.code == .unsupported)
    await refused.shutdown()
    withExtendedLifetime(server) {}
  }
}
