import AsyncLocation
import FoundationEssentials
import MockBackend
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

/// MQTT 3.1.1 with real brokers: with mosquitto, the configuration requests this version; NATS
/// speaks no other.
@Suite(.needsBroker, .inTurn) struct OlderVersionTests {
  private enum Server: CaseIterable {
    case mosquitto, nats

    static var available: [Self] { RealNATS.path == nil ? [.mosquitto] : allCases }

    /// Runs the broker while a closure runs.
    func run(_ body: (MQTTConfiguration) async throws -> Void) async throws {
      switch self {
      case .mosquitto:
        let broker = try await RealBroker()
        var configuration = MQTTConfiguration.local(broker)
        configuration.version = .mqtt311
        try await body(configuration)
        withExtendedLifetime(broker) {}
      case .nats:
        let server = try await RealNATS()
        try await body(MQTTConfiguration.local(port: server.port))
        withExtendedLifetime(server) {}
      }
    }
  }

  /// Returns a connected fleet, and its updates from the beginning of the connection.
  private static func fleet(
    _ configuration: MQTTConfiguration
  ) async throws -> (Fleet, FleetUpdates.AsyncIterator) {
    let fleet = try Fleet(FleetConfiguration(configuration))
    let updates = fleet.updates.makeAsyncIterator()
    await FleetBrokerTests.waitUntilConnected(fleet)
    return (fleet, updates)
  }

  private static func bench(
    _ configuration: MQTTConfiguration, options: PublisherOptions = PublisherOptions()
  ) throws -> PublisherBench {
    try PublisherBench(port: configuration.port, options: options) {
      $0.version = configuration.version
    }
  }

  @Test("F80 a fleet has the locations in order, each once", arguments: Server.available)
  private func order(_ server: Server) async throws {
    try await server.run { configuration in
      var (fleet, updates) = try await Self.fleet(configuration)
      let bench = try Self.bench(configuration)
      let run = Task { try await bench.publisher.run() }
      try await bench.emit(0..<200)
      for second in 0..<200 {
        #expect(try await updates.next()?.location.secondsSinceStart == second)
      }
      while bench.publisher.statistics.published < 200 { await Task.yield() }
      run.cancel()
      _ = await run.result
      #expect(fleet.statistics.duplicates == 0)
      await fleet.shutdown()
    }
  }

  @Test("F80 a withdrawal removes the last location", arguments: Server.available)
  private func removal(_ server: Server) async throws {
    try await server.run { configuration in
      let bench = try Self.bench(configuration)
      let run = Task { try await bench.publisher.run() }
      try await bench.emit(0..<1)
      while bench.publisher.statistics.published < 1 { await Task.yield() }
      var (first, updates) = try await Self.fleet(configuration)
      let update = try await updates.next()
      #expect(update?.location.secondsSinceStart == 0)
      #expect(update?.isRetained == true)
      await first.shutdown()
      bench.backend.setAuthorization(.denied)
      let error = await #expect(throws: LocationError.self) { try await run.value }
      #expect(error?.code == .denied)
      var (second, laterUpdates) = try await Self.fleet(configuration)
      // No message of the boat precedes that of another device.
      let car = try PublisherBench(port: configuration.port, device: "car") {
        $0.version = configuration.version
      }
      let carRun = Task { try await car.publisher.run() }
      try await car.emit(1..<2)
      #expect(try await laterUpdates.next()?.device.description == "jane/car")
      carRun.cancel()
      _ = await carRun.result
      await second.shutdown()
    }
  }

  @Test("F80 a session has what came while the fleet was away", arguments: Server.available)
  private func session(_ server: Server) async throws {
    try await server.run { configuration in
      var named = configuration
      named.clientIdentifier = "fleet"
      await (try Self.fleet(named)).0.shutdown()
      let bench = try Self.bench(configuration)
      let run = Task { try await bench.publisher.run() }
      try await bench.emit(0..<50)
      while bench.publisher.statistics.published < 50 { await Task.yield() }
      run.cancel()
      _ = await run.result
      // The retained location may arrive first, and updates omit older ones. The history includes
      // them.
      let fleet = try await Fleet(FleetConfiguration(named), storage: MemoryFleetStorage())
      let history = try #require(fleet.history)
      _ = fleet.devices  // Connects.
      var count = 0
      while count < 50 {
        count = try await history.track(of: id("jane/boat")).locations.count
        await Task.yield()
      }
      #expect(count == 50)
      await fleet.shutdown()
    }
  }

  @Test("F80 a group is refused by name", arguments: Server.available)
  private func group(_ server: Server) async throws {
    try await server.run { configuration in
      let fleet = try Fleet(FleetConfiguration(configuration, group: "servers"))
      let error = await #expect(throws: LocationError.self) {
        for try await _ in fleet.updates {}
      }
      #expect(error?.code == .unsupported)
      #expect(error?.message.contains("3.1.1, which has no groups") == true)
      await fleet.shutdown()
    }
  }

  @Test("F80 a version that the broker does not speak is refused by name", .needsNATS)
  func refusedVersion() async throws {
    let server = try await RealNATS()
    var configuration = MQTTConfiguration.local(port: server.port)
    configuration.version = .mqtt5
    let fleet = try Fleet(FleetConfiguration(configuration))
    let error = await #expect(throws: LocationError.self) { for try await _ in fleet.updates {} }
    #expect(error?.cause as? BrokerRefusal == .protocolVersion)
    await fleet.shutdown()
    withExtendedLifetime(server) {}
  }

  @Test("F80 the end of a run is announced, as with MQTT 5")
  func lastWill() async throws {
    let broker = try await RealBroker()
    let subscriber = try await ForeignSubscriber(to: "owntracks/#", of: broker)
    let bench = try PublisherBench(
      broker, options: PublisherOptions(announcesPresence: true)
    ) { $0.version = .mqtt311 }
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<1)
    while bench.publisher.statistics.published < 1 { await Task.yield() }
    run.cancel()
    _ = await run.result
    let messages = await subscriber.messages(2)
    #expect(messages.first?.seconds == 0)
    let last = try OwnTracksMessage(json: Array((messages.last?.payload ?? "").utf8))
    guard case .lastWill = last else {
      Issue.record("\(last)")
      return
    }
  }
}
