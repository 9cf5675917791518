import AsyncLocation
import TestSupport
import Testing

@testable import MQTTBackend

/// F71: the number of messages that a broker reports as dropped.
@Suite(.inTurn) struct BrokerDropsTests {
  @Test(
    "F71 the first number says nothing, and a broker that was started again counts from zero",
    arguments: [
      ([], 0), (["5"], 0), (["0", "7"], 7), (["5", "12", "12", "20"], 15), (["100", "3", "4"], 4),
      (["1", "", "x", "-1", "2.5", "99999999999999999999999", "4"], 3),
      (["1", "18446744073709551615"], UInt64.max - 1),
    ] as [([String], UInt64)])
  func differencesAreCounted(_ numbers: [String], _ total: UInt64) {
    var drops = BrokerDrops()
    #expect(numbers.reduce(0) { $0 &+ drops.take(Array($1.utf8).span) } == total)
  }

  @Test(arguments: [
    ("$SYS/broker/publish/messages/dropped", true), ("$SYS/broker/publish/messages/droppee", false),
    ("owntracks/jane/boat", false), ("", false),
  ])
  func theTopicOfDropsIsRecognized(_ topic: String, _ isTopic: Bool) {
    #expect(BrokerDrops.isTopic(Array(topic.utf8).span) == isTopic)
  }

  /// Another client's session is disconnected, and the broker queues at most ten messages for it.
  @Test("F71 what the broker drops is counted, and is no message", .needsBroker)
  func brokerDropsAreCounted() async throws {
    let broker = try await RealBroker([
      "allow_anonymous true", "max_queued_messages 10", "sys_interval 1",
    ])
    var absent = MQTTConfiguration.local(broker)
    (absent.clientIdentifier, absent.sessionExpiry) = ("away", .seconds(600))
    let other = try Fleet(FleetConfiguration(absent, base: "other"))
    await FleetBrokerTests.waitUntilConnected(other)
    await other.shutdown()
    await broker.waitForEnds(1)
    let fleet = try Fleet(FleetConfiguration(.local(broker)))
    await FleetBrokerTests.waitUntilConnected(fleet)
    let publisher = try await RawPublisher(to: broker.port)
    let messages = (0..<100).map { RawPublisher.Message("other/jane/boat", "\($0)") }
    while fleet.statistics.droppedByBroker == 0 { try await publisher.publish(messages) }
    #expect(fleet.statistics.messages == 0)
    await fleet.shutdown()
  }
}
