import AsyncLocation
import Foundation
import Glibc
import TestSupport
import Testing

@testable import MQTTBackend

/// F57: a fleet on a real broker that is flooded, and one with hostile devices.
@Suite(.needsBroker, .inTurn)
struct FleetBrokerTests {
  typealias Message = RawPublisher.Message

  /// The configuration of a broker that drops nothing, and logs no messages.
  static let unlimited = [
    "allow_anonymous true", "max_queued_messages 0", "log_type none", "log_type information",
  ]

  static func waitUntilConnected(_ fleet: Fleet) async {
    for await state in fleet.connectionStates where state.phase == .connected { break }
  }

  /// A broker that grants less than quality of service 1 keeps the session, but none of its
  /// messages.
  @Test func sessionWithoutMessagesIsAnInterruption() async throws {
    let broker = try await RealBroker(Self.unlimited + ["max_qos 0"])
    let relay = Relay(to: broker.port)
    var configuration = MQTTConfiguration.local(port: relay.port)
    configuration.clientIdentifier = "server"
    let fleet = try Fleet(FleetConfiguration(configuration))
    let (changes, states) = (fleet.changes, fleet.connectionStates)
    await Self.waitUntilConnected(fleet)
    relay.breakAll()
    var connections = 0
    for await state in states where state.phase == .connected {
      connections += 1
      if connections == 2 { break }
    }
    await fleet.shutdown()
    var received: [FleetChange] = []
    for try await change in changes { received.append(change) }
    #expect(received == [.interrupted])
  }

  @Test("F79 a fleet of a partition does not take its session back while its storage fails")
  func partitionWithoutStorage() async throws {
    let broker = try await RealBroker(Self.unlimited)
    let relay = Relay(to: broker.port)
    var configuration = FleetConfiguration(MQTTConfiguration.local(port: relay.port))
    configuration.partition = FleetConfiguration.Partition(0)
    let storage = GatedStorage()
    let fleet = try await Fleet(configuration, storage: storage)
    var states = fleet.connectionStates.makeAsyncIterator()
    await Self.waitUntilConnected(fleet)
    storage.set(.broken)
    try fleet.add(depot, identifier: "depot")
    while fleet.storageProblem == nil { await Task.yield() }
    let connections = relay.accepted
    relay.breakAll()
    while let state = await states.next(), state.problem?.code != .storageUnavailable {}
    #expect(relay.accepted == connections)
    storage.set(.open)
    while let state = await states.next(), state.phase != .connected {}
    #expect(fleet.storageProblem == nil)
    await fleet.shutdown()
  }

  /// A broker sends the queued messages of a session as soon as the client connects, so a fleet
  /// does not connect before its first reader.
  @Test("F55 streams that are opened before a fleet connects miss no waiting message")
  func waitsForItsFirstReader() async throws {
    let broker = try await RealBroker(Self.unlimited)
    let relay = Relay(to: broker.port)
    func fleet(_ name: String) throws -> Fleet {
      var configuration = MQTTConfiguration.local(port: relay.port)
      configuration.clientIdentifier = name
      return try Fleet(FleetConfiguration(configuration))
    }
    let earlier = try fleet("archive")
    await Self.waitUntilConnected(earlier)
    await earlier.shutdown()
    let publisher = try await RawPublisher(to: broker.port)
    try await publisher.publish((0..<100).map { .location($0, of: "jane/boat") })
    let second = try fleet("archive")
    let (updates, changes) = (second.updates, second.changes)
    let other = try fleet("other")
    await Self.waitUntilConnected(other)
    try #require(relay.accepted == 2, "the second has connected before anyone reads")
    var seconds: [Int] = []
    for try await update in updates {
      seconds.append(update.location.secondsSinceStart)
      if seconds.count == 100 { break }
    }
    #expect(seconds == Array(0..<100))
    var iterator = changes.makeAsyncIterator()
    #expect(try await iterator.next() != nil)
    await second.shutdown()
    await other.shutdown()
  }

  /// Unknown devices beyond the limit are counted, and known devices are served meanwhile.
  @Test("F57 a flood of unknown devices is refused")
  func aFloodOfUnknownDevicesIsRefused() async throws {
    let known = 100
    let unknown = Rounds.environment("ASYNC_LOCATION_FLOOD", otherwise: 10_000)
    let broker = try await RealBroker(Self.unlimited)
    var limits = FleetLimits(devices: known)
    limits.buffering = .newest(1_000_000)
    let fleet = try Fleet(FleetConfiguration(.local(broker), limits: limits))
    let updates = fleet.updates
    await Self.waitUntilConnected(fleet)
    let publisher = try await RawPublisher(to: broker.port)
    try await publisher.publish((0..<known).map { .location(0, of: "jane/known\($0)") })
    // Each known device sends another location after some unknown ones.
    let flood = (0..<unknown).flatMap { number -> [Message] in
      let intruder = Message.location(number, of: "mallory/\(number)")
      guard number % 100 == 99 else { return [intruder] }
      let round = number / 100
      return [intruder, .location(1 + round / known, of: "jane/known\(round % known)")]
    }
    try await publisher.publish(flood)
    try await publisher.publish([.location(1_000_000, of: "jane/known0")])
    let expected = known + unknown / 100 + 1
    var delivered = 0
    for try await update in updates {
      #expect(update.device.user == "jane")
      delivered += 1
      if update.location.secondsSinceStart == 1_000_000 { break }
    }
    #expect(delivered == expected)
    let statistics = fleet.statistics
    // Unknown devices share rate limits, so some of their messages were not even decoded.
    #expect(statistics.refused + statistics.rateLimited == UInt64(unknown))
    #expect(statistics.delivered == UInt64(expected))
    #expect(statistics.messages == UInt64(unknown + expected))
    #expect(fleet.deviceCount == known)
    await fleet.shutdown()
  }

  /// Mosquitto queues 1,000 messages for a client, however fast the client reads. The socket
  /// buffers some 50,000 more. With `ASYNC_LOCATION_RETAINED=100000`, the number of others that
  /// arrive depends on the CPU time of the fleet.
  @Test(
    "F71 retained locations of many devices arrive or are counted, and live ones arrive after them")
  func retainedLocationsArrive() async throws {
    let count = Rounds.environment("ASYNC_LOCATION_RETAINED", otherwise: 5_000)
    let broker = try await RealBroker([
      "allow_anonymous true", "log_type none", "log_type information", "sys_interval 1",
    ])
    // Drops are counted from the first number that the broker reports.
    let subscriber = try await BrokerSubscriber(to: BrokerDrops.topic, of: broker)
    #expect(await subscriber.next() != nil)
    let publisher = try await RawPublisher(to: broker.port)
    try await publisher.publish(
      (0..<count).map { .location($0, of: "jane/\($0)", isRetained: true) })
    let fleet = try Fleet(
      FleetConfiguration(
        .local(broker), limits: FleetLimits(buffering: .newest(1_000_000))))
    let updates = fleet.updates
    // Reading a property makes the fleet connect.
    #expect(fleet.deviceCount == 0)
    while case let statistics = fleet.statistics,
      statistics.retained + statistics.droppedByBroker < count
    {
      await Task.yield()
    }
    let statistics = fleet.statistics
    // The broker also drops messages about itself.
    #expect((count..<count + 100).contains(Int(statistics.retained + statistics.droppedByBroker)))
    #expect(statistics.retained == count || count > 20_000)
    var seen: Set<FleetDevice.ID> = []
    for try await update in updates {
      #expect(update.isRetained)
      seen.insert(update.device)
      if seen.count == statistics.retained { break }
    }
    print(
      "F71: \(statistics.retained) of \(count) arrived, \(statistics.droppedByBroker) were dropped."
    )
    await Self.waitUntilConnected(fleet)
    let live = fleet.updates
    try await publisher.publish([.location(1_000_000, of: "jane/0")])
    for try await update in live {
      #expect(!update.isRetained)
      #expect(update.device == id("jane/0"))
      break
    }
    await fleet.shutdown()
  }

  /// Messages of a hostile device.
  struct Hostile: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let messages: [Message]
    /// The count that includes the messages; nil if the broker passes none of them on.
    let counted: (@Sendable (FleetStatistics) -> UInt64)?
  }

  static let topic = Array("owntracks/mallory/phone".utf8)

  static func bad(
    _ name: String, _ payloads: [String],
    _ counted: (@Sendable (FleetStatistics) -> UInt64)? = \.malformed
  ) -> Hostile {
    Hostile(
      testDescription: name, messages: payloads.map { Message(topic, Array($0.utf8)) },
      counted: counted)
  }

  static let hostiles = [
    bad(
      "no JSON",
      [" ", "hello", "{", "[]", "[[[[[[[[", "null", "\u{0}", "<xml/>", "{\"_type\":"]),
    bad(
      "no position",
      [
        #"{"_type":"location"}"#, #"{"_type":"location","lat":91,"lon":0,"tst":1777863600}"#,
        #"{"_type":"location","lat":1e999,"lon":0,"tst":1777863600}"#,
        #"{"_type":"location","lat":"60","lon":"24","tst":"1777863600"}"#,
        #"{"_type":"location","lat":NaN,"lon":0,"tst":1777863600}"#,
        #"{"_type":"location","lat":60,"lon":24}"#,
        #"{"_type":"location","lat":60,"lon":24,"tst":0}"#,
      ]),
    bad(
      "deep nesting",
      [#"{"_type":"location","x":"# + String(repeating: "[", count: 30_000)]),
    bad("other kinds", [#"{"_type":"cmd","action":"dump"}"#, #"{"_type":"nonsense"}"#], \.other),
    bad("the future", [#"{"_type":"location","lat":1,"lon":1,"tst":9000000000}"#], \.future),
    bad("longer than a payload may be", [String(repeating: " ", count: 70_000)], \.oversized),
    bad(
      "longer than a packet may be",
      [String(repeating: " ", count: 200_000), String(repeating: "x", count: 1_000_000)], nil),
    Hostile(
      testDescription: "bytes that are no UTF-8",
      messages: [
        Message(topic, [0xFF, 0xFE, 0x7B]), Message(topic, Array(repeating: 0x80, count: 99)),
      ],
      counted: \.malformed),
    Hostile(
      testDescription: "names that look like others",
      messages: [
        .location(0, of: "jane/bo\u{202E}at"), .location(0, of: "jane/bo\u{200B}at"),
        .location(0, of: "jane/" + String(repeating: "x", count: 300)),
      ], counted: \.unexpectedTopics),
  ]

  @Test("F57 hostile messages are counted", arguments: hostiles)
  func hostileMessagesAreCounted(_ hostile: Hostile) async throws {
    let broker = try await RealBroker()
    var configuration = MQTTConfiguration.local(broker)
    configuration.maximumPacketSize = 100_000
    let fleet = try Fleet(FleetConfiguration(configuration))
    let updates = fleet.updates
    await Self.waitUntilConnected(fleet)
    let publisher = try await RawPublisher(to: broker.port)
    try await publisher.publish(hostile.messages)
    try await publisher.publish([.location(1)])
    for try await update in updates {
      #expect(update.device.user == "jane")
      break
    }
    let statistics = fleet.statistics
    let count = hostile.counted == nil ? 0 : UInt64(hostile.messages.count)
    #expect(statistics.messages == count + 1, "\(statistics)")
    if let counted = hostile.counted { #expect(counted(statistics) == count, "\(statistics)") }
    await fleet.shutdown()
    // Another thread reads the log. It is complete when its last line has been read.
    broker.send(SIGTERM)
    await broker.waitForLog("terminating")
    // One connection is the publisher's.
    let connections = broker.lines.count { $0.contains("New client connected") }
    #expect(connections == 2, "the connection survives")
  }

  /// Mosquitto does not pass such a topic on; it ends the sender's connection.
  @Test(arguments: ["a\u{1}b", "a\u{1B}[2J", "a\u{7F}", "a\u{0}b"])
  func theBrokerRefusesControlCharacters(_ name: String) async throws {
    let broker = try await RealBroker()
    let fleet = try Fleet(FleetConfiguration(.local(broker)))
    let updates = fleet.updates
    await Self.waitUntilConnected(fleet)
    let hostile = try await RawPublisher(to: broker.port)
    await #expect(throws: RawPublisher.Failure.self) {
      try await hostile.publish([.location(0, of: "mallory/\(name)")])
    }
    try await RawPublisher(to: broker.port).publish([.location(1)])
    for try await update in updates {
      #expect(update.device.user == "jane")
      break
    }
    #expect(fleet.statistics.messages == 1)
    await fleet.shutdown()
  }
}
