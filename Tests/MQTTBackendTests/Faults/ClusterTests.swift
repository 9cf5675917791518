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

  private static func fleet(
    _ cluster: NATSCluster, partition: Int, storage: MemoryFleetStorage
  ) async throws -> Fleet {
    var broker = MQTTConfiguration.local(port: 0)
    configure(cluster, first: partition)(&broker)
    broker.clientIdentifier = "fleet-\(partition)"
    var configuration = FleetConfiguration(broker)
    configuration.partition = FleetConfiguration.Partition(partition)
    let fleet = try await Fleet(configuration, storage: storage)
    _ = fleet.devices  // Connects.
    for await state in fleet.connectionStates where state.phase == .connected { break }
    return fleet
  }

  /// How many locations of a device the history has.
  private static func count(_ device: String, in fleet: Fleet) async throws -> Int {
    var count = 0
    let identifier = try FleetDevice.ID(user: "jane", device: device)
    guard let history = fleet.history else { return 0 }
    for try await _ in history.track(of: identifier, from: .distantPast, to: .distantFuture) {
      count += 1
    }
    return count
  }

  @Test("F78 after a node is killed, the partitions have each location once")
  func killedNode() async throws {
    let cluster = try await NATSCluster()
    var fleets: [Fleet] = []
    for partition in 0..<NATSCluster.partitionCount {
      fleets.append(
        try await Self.fleet(cluster, partition: partition, storage: MemoryFleetStorage()))
    }
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
      for fleet in fleets { counts.append(try await Self.count(device, in: fleet)) }
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
    bench.backend.setAuthorization(.denied)
    _ = await run.result
    let other = try PublisherBench(
      port: 0, device: "car", configure: Self.configure(cluster, first: 1))
    let otherRun = Task { try await other.publisher.run() }
    try await other.emit(1..<2)
    while other.publisher.statistics.published < 1 { await Task.yield() }
    var devices: [String] = []
    for partition in 0..<NATSCluster.partitionCount {
      let fleet = try await Self.fleet(
        cluster, partition: partition, storage: MemoryFleetStorage())
      // A live location follows the retained ones of its partition.
      let marker = try PublisherBench(
        port: 0, device: ["van", "bike", "dory", "sled"][partition],
        configure: Self.configure(cluster, first: 0))
      let markerRun = Task { try await marker.publisher.run() }
      try await marker.emit(2..<3)
      while marker.publisher.statistics.published < 1 { await Task.yield() }
      markerRun.cancel()
      _ = await markerRun.result
      devices += fleet.devices.map(\.id.description)
      await fleet.shutdown()
    }
    #expect(!devices.contains("jane/boat"))
    otherRun.cancel()
    _ = await otherRun.result
    withExtendedLifetime(cluster) {}
  }
}
