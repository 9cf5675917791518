import AsyncLocation
import Foundation
import Glibc
import TestSupport
import Testing

@testable import MQTTBackend

/// Several servers that share a subscription, as fleets in one process.
@Suite(.needsBroker, .inTurn)
struct FleetBrokerGroupTests {
  /// A location that a member has received.
  struct Report: Hashable, Sendable {
    let device: String
    /// The seconds since ``PublisherBench/start``.
    let second: Int
  }

  /// The members of a group, and the reports of all of them.
  struct Group {
    let fleets: [Fleet]
    let reports: AsyncStream<Report>

    init(_ count: Int, at broker: RealBroker) async throws {
      let (reports, sink) = AsyncStream.makeStream(of: Report.self)
      self.reports = reports
      var fleets: [Fleet] = []
      for _ in 0..<count {
        let fleet = try Fleet(FleetConfiguration(.local(broker), group: "servers"))
        let updates = fleet.updates
        Task {
          for try await update in updates {
            sink.yield(
              Report(
                device: update.device.device,
                second: update.location.secondsSinceStart))
          }
        }
        await FleetBrokerTests.waitUntilConnected(fleet)
        fleets.append(fleet)
      }
      self.fleets = fleets
    }
  }

  /// The number of devices.
  static let devices = 20

  static func messages(_ seconds: Range<Int>) -> [RawPublisher.Message] {
    seconds.flatMap { second in
      (0..<devices).map { .location(second, of: "jane/\($0)") }
    }
  }

  static func reports(_ seconds: Range<Int>) -> Set<Report> {
    Set(
      seconds.flatMap { second in
        (0..<devices).map { Report(device: "\($0)", second: second) }
      })
  }

  /// Before, the server was alone, so its session at the broker has a subscription to everything.
  @Test func serverJoiningAGroupReceivesItsShare() async throws {
    let broker = try await RealBroker(FleetBrokerTests.unlimited)
    func fleet(_ name: String, group: String?) async throws -> Fleet {
      var configuration = MQTTConfiguration.local(broker)
      configuration.clientIdentifier = name
      let fleet = try Fleet(FleetConfiguration(configuration, group: group))
      await FleetBrokerTests.waitUntilConnected(fleet)
      return fleet
    }
    let alone = try await fleet("server", group: nil)
    await alone.shutdown()
    let joined = try await fleet("server", group: "servers")
    let other = try await fleet("other", group: "servers")
    let publisher = try await RawPublisher(to: broker.port)
    try await publisher.publish((0..<400).map { .location(0, of: "jane/\($0)") })
    while Set((joined.devices + other.devices).map(\.id)).count < 400 { await Task.yield() }
    await joined.shutdown()
    await other.shutdown()
    #expect(joined.statistics.messages + other.statistics.messages == 400)
    #expect(joined.statistics.messages < 300)
  }

  @Test(arguments: [2, 4])
  func eachReportReachesOneMember(_ count: Int) async throws {
    let broker = try await RealBroker(FleetBrokerTests.unlimited)
    let group = try await Group(count, at: broker)
    let publisher = try await RawPublisher(to: broker.port)
    try await publisher.publish(Self.messages(0..<100))
    let expected = Self.reports(0..<100)
    var seen: Set<Report> = []
    for await report in group.reports {
      #expect(seen.insert(report).inserted)
      if seen.count == expected.count { break }
    }
    #expect(seen == expected)
    let statistics = group.fleets.map(\.statistics)
    #expect(statistics.map(\.messages).reduce(0, +) == UInt64(expected.count))
    #expect(statistics.allSatisfy { $0.delivered > 0 })
    for fleet in group.fleets { await fleet.shutdown() }
  }
}
