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
    let before = try await Self.fleets(cluster)
    // The last location is retained under the topic of one partition.
    while before.map(\.deviceCount).reduce(0, +) < 1 { await Task.yield() }
    for fleet in before { await fleet.shutdown() }
    bench.backend.setAuthorization(.denied)
    _ = await run.result
    // Not the sessions of the earlier fleets, which may deliver unacknowledged messages again.
    let after = try await Self.fleets(cluster, name: "later")
    // Live locations follow the retained ones of their partition.
    let markers = (0..<8).map { "marker\($0)" }
    for device in markers {
      let marker = try PublisherBench(
        port: 0, device: device, configure: Self.configure(cluster, first: 1))
      let markerRun = Task { try await marker.publisher.run() }
      try await marker.emit(2..<3)
      while marker.publisher.statistics.published < 1 { await Task.yield() }
      markerRun.cancel()
      _ = await markerRun.result
    }
    func devices() -> [String] { after.flatMap(\.devices).map(\.id.description) }
    while !Set(devices()).isSuperset(of: markers.map { "jane/\($0)" }) { await Task.yield() }
    #expect(after.allSatisfy { $0.deviceCount > 0 })
    #expect(!devices().contains("jane/boat"))
    for fleet in after { await fleet.shutdown() }
    withExtendedLifetime(cluster) {}
  }
}
