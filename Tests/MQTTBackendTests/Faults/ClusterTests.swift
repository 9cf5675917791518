import AsyncLocation
import FoundationEssentials
import LocationFleet
import MockBackend
import TestSupport
import Testing

@testable import MQTTBackend

/// A fleet in partitions at a cluster of three NATS servers.
@Suite(.needsNATS, .inTurn) struct ClusterTests {
  private static let devices = ["boat", "car", "van", "bike"]

  /// The configuration of a client whose first node is a given one.
  private static func configure(
    _ cluster: NATSCluster, first: Int
  ) -> (inout MQTTConfiguration) -> Void {
    { configuration in
      let ports = (0..<3).map { cluster.ports[(first + $0) % 3] }
      configuration.port = ports[0]
      configuration.alternatives = ports.dropFirst().map { .init(host: "127.0.0.1", port: $0) }
    }
  }

  /// Connected fleets of all partitions.
  ///
  /// - Parameter name: The beginning of the client identifiers.
  private static func fleets(
    _ cluster: NATSCluster, name: String = "fleet"
  ) async throws -> [Fleet] {
    var fleets: [Fleet] = []
    for partition in 0..<NATSCluster.partitionCount {
      fleets.append(try await fleet(cluster, name: name, partition: partition))
    }
    return fleets
  }

  private static func fleet(
    _ cluster: NATSCluster, name: String, partition: Int
  ) async throws -> Fleet {
    var broker = MQTTConfiguration.local(port: 0)
    configure(cluster, first: partition)(&broker)
    broker.clientIdentifier = "\(name)-\(partition)"
    var configuration = FleetConfiguration(broker)
    configuration.partition = FleetConfiguration.Partition(partition)
    let fleet = try await Fleet(configuration, storage: MemoryFleetStorage())
    await FleetBrokerTests.waitUntilConnected(fleet)
    return fleet
  }

  @Test("F78 after a node is killed, the partitions have each location once")
  func killedNode() async throws {
    let cluster = try await NATSCluster()
    let fleets = try await Self.fleets(cluster)
    let benches = try Self.devices.enumerated().map { number, device in
      try PublisherBench(
        port: 0, device: device, options: PublisherOptions(confirmation: .stored),
        configure: Self.configure(cluster, first: number % 3))
    }
    let runs = benches.map { bench in Task { try await bench.publisher.run() } }
    for bench in benches { try await bench.emit(0..<50) }
    for bench in benches {
      while bench.publisher.statistics.published < 20 { await Task.yield() }
    }
    await cluster.kill(0)
    for bench in benches { try await bench.emit(50..<100) }
    for bench in benches {
      while bench.publisher.statistics.published < 100 { await Task.yield() }
    }
    for device in Self.devices {
      var counts: [Int] = []
      for fleet in fleets {
        let track = try #require(fleet.history).track(of: id("jane/\(device)"))
        counts.append(try await track.locations.count)
      }
      #expect(counts.sorted() == [0, 100], "\(device)")
    }
    #expect(fleets.map(\.deviceCount).reduce(0, +) == Self.devices.count)
    for run in runs {
      run.cancel()
      _ = await run.result
    }
    for fleet in fleets { await fleet.shutdown() }
    withExtendedLifetime(cluster) {}
  }

  @Test("a withdrawal removes the last location from the partition")
  func withdrawal() async throws {
    let cluster = try await NATSCluster()
    let bench = try PublisherBench(port: 0, configure: Self.configure(cluster, first: 0))
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<1)
    while bench.publisher.statistics.published < 1 { await Task.yield() }
    // A node confirms a message before the others retain it, or remove what they retained.
    var round = 1
    while !(try await Self.devices(cluster, round: round)).contains("jane/boat") { round += 1 }
    bench.backend.setAuthorization(.denied)
    _ = await run.result
    round += 1
    while try await Self.devices(cluster, round: round).contains("jane/boat") { round += 1 }
    withExtendedLifetime(cluster) {}
  }

  /// The devices that new fleets of all partitions see, once each has received its retained messages.
  ///
  /// - Parameter round: Greater than in earlier calls.
  private static func devices(_ cluster: NATSCluster, round: Int) async throws -> [String] {
    // Not the sessions of the earlier fleets, which may deliver unacknowledged messages again.
    let fleets = try await fleets(cluster, name: "round\(round)")
    // Live locations follow the retained ones of their partition.
    let markers = (0..<8).map { "marker\($0)" }
    for marker in markers {
      let bench = try PublisherBench(
        port: 0, device: marker, configure: configure(cluster, first: 1))
      let run = Task { try await bench.publisher.run() }
      try await bench.emit(round..<round + 1)
      while bench.publisher.statistics.published < 1 { await Task.yield() }
      run.cancel()
      _ = await run.result
    }
    func isCurrent(_ device: FleetDevice) -> Bool {
      markers.contains(device.id.device) && device.location?.secondsSinceStart == round
    }
    while fleets.flatMap(\.devices).count(where: isCurrent) < markers.count { await Task.yield() }
    #expect(fleets.allSatisfy { $0.deviceCount > 0 })
    let devices = fleets.flatMap(\.devices).map(\.id.description)
    for fleet in fleets { await fleet.shutdown() }
    return devices
  }
}
