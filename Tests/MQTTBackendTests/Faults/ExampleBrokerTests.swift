import AsyncLocation
import FoundationEssentials
import LocationFleet
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

/// The broker of `Examples/broker`, with files of the test.
@Suite(
  .needsBroker, .enabled(if: TestAuthority.isInstalled, "openssl is not installed"), .inTurn)
struct ExampleBrokerTests {
  private let broker: RealBroker
  private let authority: TestAuthority

  init() async throws {
    let folder =
      #filePath.dropLast("Tests/MQTTBackendTests/Faults/ExampleBrokerTests.swift".count)
      + "Examples/broker/"
    let configuration = try String(contentsOfFile: folder + "mosquitto.conf", encoding: .utf8)
    let rules = try String(contentsOfFile: folder + "acl", encoding: .utf8)
    let (authority, certificate) = try await onThread {
      let authority = try TestAuthority()
      return (authority, try authority.issue("server"))
    }
    self.authority = authority
    let files = [
      "/etc/mosquitto/certs/server.crt": certificate.certificateFile,
      "/etc/mosquitto/certs/server.key": certificate.keyFile,
      "/etc/mosquitto/passwords": "$FOLDER/passwords", "/etc/mosquitto/acl": "$FOLDER/acl",
    ]
    // The test's broker gets its listener from `RealBroker`.
    let lines = configuration.split(separator: "\n").filter { !$0.hasPrefix("listener ") }
      .map { line in files.reduce(String(line)) { $0.replacing($1.key, with: $1.value) } }
    broker = try await RealBroker(
      lines + ["persistence_location $FOLDER/"], files: ["acl": rules],
      passwords: ["fleet": "serves", "jane": "sails", "bob": "drives"])
  }

  /// Returns a closure that sets credentials, and the authority of the broker's certificate.
  private func configure(_ user: String, _ password: String) -> (inout MQTTConfiguration) -> Void {
    { [authority] configuration in
      configuration.credentials = .password(user: user, password: password)
      configuration.tls = MQTTConfiguration.TLS(authorityFile: authority.certificateFile)
    }
  }

  private func fleet(
    _ user: String = "fleet", _ password: String = "serves"
  ) async throws -> Fleet {
    var configuration = MQTTConfiguration.local(broker)
    configure(user, password)(&configuration)
    return try await Fleet(FleetConfiguration(configuration), storage: MemoryFleetStorage())
  }

  @Test("a vehicle publishes, and a server confirms what it has stored")
  func confirmation() async throws {
    let fleet = try await fleet()
    var received = fleet.updates.makeAsyncIterator()
    // Subscribed later, it would receive the last location first, and the others when they are late.
    await FleetBrokerTests.waitUntilConnected(fleet)
    let bench = try PublisherBench(
      broker, options: PublisherOptions(publishesStatus: true, confirmation: .stored),
      configure: configure("jane", "sails"))
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<10)
    for _ in 0..<10 { #expect(try await received.next()?.device.description == "jane/boat") }
    while bench.publisher.statistics.published < 10 { await Task.yield() }
    #expect(bench.publisher.statistics.unconfirmed == 0)
    #expect(bench.publisher.statistics.refused == 0)
    run.cancel()
    _ = await run.result
    await fleet.shutdown()
  }

  @Test("nobody publishes for another user, and nobody but servers reads locations")
  func rules() async throws {
    let fleet = try await fleet()
    var received = fleet.updates.makeAsyncIterator()
    await FleetBrokerTests.waitUntilConnected(fleet)
    let curious = try await self.fleet("bob", "drives")
    let curiousUpdates = curious.updates
    await FleetBrokerTests.waitUntilConnected(curious)
    let forger = try PublisherBench(
      broker, user: "jane", device: "boat", configure: configure("bob", "drives"))
    let forging = Task { try await forger.publisher.run() }
    try await forger.emit(0..<1)
    // The broker refuses the forged location.
    while forger.publisher.statistics.refused == 0, forger.publisher.statistics.problem == nil {
      await Task.yield()
    }
    let bench = try PublisherBench(
      broker, user: "bob", device: "car", configure: configure("bob", "drives"))
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(1..<2)
    let first = try await received.next()
    #expect(first?.device.description == "bob/car", "\(String(describing: first))")
    #expect(curious.statistics.delivered == 0)
    #expect(curiousUpdates.dropped == 0)
    for task in [run, forging] {
      task.cancel()
      _ = await task.result
    }
    await curious.shutdown()
    await fleet.shutdown()
  }

  @Test("a client without a password, or with a wrong one, is refused")
  func strangers() async throws {
    var configuration = MQTTConfiguration.local(broker)
    configuration.reconnection = .never
    configuration.tls = MQTTConfiguration.TLS(authorityFile: authority.certificateFile)
    for credentials in [
      nil, MQTTConfiguration.Credentials.password(user: "jane", password: "guess"),
    ] {
      configuration.credentials = credentials
      let fleet = try Fleet(FleetConfiguration(configuration))
      let error = await #expect(throws: LocationError.self) {
        for try await _ in fleet.updates {}
      }
      #expect(error?.code == .credentialsRefused)
      await fleet.shutdown()
    }
  }

  @Test("after a restart the broker has the last location of each vehicle")
  func restart() async throws {
    let bench = try PublisherBench(broker, configure: configure("jane", "sails"))
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<3)
    while bench.publisher.statistics.published < 3 { await Task.yield() }
    run.cancel()
    _ = await run.result
    await broker.stop()
    try await broker.start()
    let fleet = try await fleet()
    var received = fleet.updates.makeAsyncIterator()
    let update = try await received.next()
    #expect(update?.isRetained == true)
    #expect(update?.location.timestamp == (try PublisherBench.location(2)).timestamp)
    await fleet.shutdown()
  }
}
