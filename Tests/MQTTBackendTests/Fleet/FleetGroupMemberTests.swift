import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import MQTTBackend

/// F55: members of a group that leave, are cut off and return while messages arrive at Mosquitto.
/// Version 2.0 of this broker sends each message to the next member in turn. A disconnected member
/// with a session takes part: its share waits in the session.
@Suite(.needsBroker, .inTurn)
struct FleetGroupMemberTests {
  typealias Report = FleetBrokerGroupTests.Report

  /// A group whose members have relays and sessions of their own.
  final class Group {
    struct Member {
      let relay: Relay
      var fleet: Fleet
    }

    let broker: RealBroker
    let publisher: RawPublisher
    private(set) var members: [Member] = []
    /// The distinct reports so far.
    private(set) var seen: Set<Report> = []
    /// The number of repeated reports so far.
    private(set) var repeated = 0
    private let hasNames: Bool
    private let reports: AsyncStream<Report>
    private let sink: AsyncStream<Report>.Continuation

    /// - Parameter hasNames: Whether each member has a client identifier of its own.
    init(_ count: Int, hasNames: Bool = true) async throws {
      self.hasNames = hasNames
      broker = try await RealBroker(FleetBrokerTests.unlimited + ["log_type notice"])
      publisher = try await RawPublisher(to: broker.port)
      (reports, sink) = AsyncStream.makeStream(of: Report.self)
      for index in 0..<count {
        let relay = Relay(to: broker.port)
        members.append(Member(relay: relay, fleet: try await start(index, relay)))
      }
    }

    private func start(_ index: Int, _ relay: Relay) async throws -> Fleet {
      var configuration = MQTTConfiguration.local(broker)
      configuration.port = relay.port
      if hasNames { configuration.clientIdentifier = "member-\(index)" }
      let fleet = try Fleet(
        FleetConfiguration(
          configuration, group: "servers", limits: FleetLimits(buffering: .newest(1_000_000))))
      let (updates, sink) = (fleet.updates, sink)
      Task {
        for try await update in updates {
          sink.yield(
            Report(
              device: update.device.device,
              second: update.location.secondsSinceStart))
        }
      }
      await FleetBrokerTests.waitUntilConnected(fleet)
      return fleet
    }

    /// Continues a member with a new fleet, as a restarted process does.
    func restart(_ index: Int) async throws {
      members[index].fleet = try await start(index, members[index].relay)
    }

    /// Reads until a number of distinct reports have arrived.
    func read(until count: Int) async {
      guard seen.count < count else { return }
      for await report in reports {
        if !seen.insert(report).inserted { repeated += 1 }
        if seen.count == count { return }
      }
    }

    func shutdown() async {
      for member in members { await member.fleet.shutdown() }
    }
  }

  /// The number of locations of each device.
  static let seconds = 300
  static let total = seconds * FleetBrokerGroupTests.devices

  @Test(
    "F55 a member's share waits in its session after a shutdown, in Mosquitto", arguments: [2, 4])
  func shutdownMember(_ count: Int) async throws {
    let group = try await Group(count)
    let publisher = group.publisher
    async let publishing: Void = publisher.publish(
      FleetBrokerGroupTests.messages(0..<Self.seconds / 2))
    await group.read(until: Self.total / 10)
    let leavingFleet = group.members[0].fleet
    await leavingFleet.shutdown()
    try await publishing
    try await publisher.publish(
      FleetBrokerGroupTests.messages(Self.seconds / 2..<Self.seconds))
    // The others get their own shares only.
    let before = Int(leavingFleet.statistics.delivered)
    let share = Self.total / count
    #expect(before < share)
    await group.read(until: Self.total - (share - before))
    try await group.restart(0)
    await group.read(until: Self.total)
    #expect(group.seen == FleetBrokerGroupTests.reports(0..<Self.seconds))
    let returned = group.members[0].fleet.statistics
    #expect(returned.messages >= UInt64(share - before))
    print("F55: \(count) members, \(before) before the shutdown, \(returned.messages) after it")
    await group.shutdown()
  }

  /// Messages that Mosquitto sends to the member before it reads the member's DISCONNECT are lost,
  /// so none are sent meanwhile.
  @Test(
    "F55 the others receive the share of an unnamed member after its shutdown", arguments: [2, 4])
  func shutdownNamelessMember(_ count: Int) async throws {
    let group = try await Group(count, hasNames: false)
    try await group.publisher.publish(FleetBrokerGroupTests.messages(0..<10))
    await group.read(until: 10 * FleetBrokerGroupTests.devices)
    let leavingFleet = group.members[0].fleet
    await leavingFleet.shutdown()
    #expect(leavingFleet.statistics.delivered > 0)
    await group.broker.waitForEnds(1)
    try await group.publisher.publish(FleetBrokerGroupTests.messages(10..<20))
    await group.read(until: 20 * FleetBrokerGroupTests.devices)
    #expect(group.seen == FleetBrokerGroupTests.reports(0..<20))
    #expect(group.repeated == 0)
    await group.shutdown()
  }

  /// The connection of a member breaks repeatedly, without DISCONNECT.
  @Test("F55 a member that is cut off misses nothing, with Mosquitto", arguments: [2, 4])
  func cutMember(_ count: Int) async throws {
    let group = try await Group(count)
    let publisher = group.publisher
    async let publishing: Void = publisher.publish(
      FleetBrokerGroupTests.messages(0..<Self.seconds))
    let relay = group.members[0].relay
    for round in 1...8 {
      await group.read(until: Self.total * round / 20)
      let accepted = relay.accepted
      relay.set(open: round % 2 == 0)
      relay.breakAll()
      await relay.waitForConnections(accepted + 1)
    }
    try await publishing
    await group.read(until: Self.total)
    #expect(group.seen == FleetBrokerGroupTests.reports(0..<Self.seconds))
    #expect(group.repeated == 0)
    #expect(relay.accepted > 1)
    print("F55: \(count) members, \(relay.accepted) connections of one")
    await group.shutdown()
  }

  /// The program ends without DISCONNECT, and another one continues with its client identifier.
  @Test(
    "F55 the successor of a member that ends without DISCONNECT receives its share, with Mosquitto",
    arguments: [2, 4])
  func killedMember(_ count: Int) async throws {
    let group = try await Group(count)
    let publisher = group.publisher
    async let publishing: Void = publisher.publish(
      FleetBrokerGroupTests.messages(0..<Self.seconds / 2))
    await group.read(until: Self.total / 10)
    let (relay, fleet) = (group.members[0].relay, group.members[0].fleet)
    relay.set(open: false)
    relay.breakAll()
    await fleet.shutdown()
    try await publishing
    try await publisher.publish(
      FleetBrokerGroupTests.messages(Self.seconds / 2..<Self.seconds))
    relay.set(open: true)
    try await group.restart(0)
    await group.read(until: Self.total)
    #expect(group.seen == FleetBrokerGroupTests.reports(0..<Self.seconds))
    print("F55: \(count) members, \(group.repeated) arrived at both")
    await group.shutdown()
  }
}
