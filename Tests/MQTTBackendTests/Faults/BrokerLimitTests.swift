import AsyncLocation
import FoundationEssentials
import MQTTBackend
import MockBackend
import OwnTracks
import TestSupport
import Testing

/// F67: the publisher respects a broker's limits, and a violation by the broker ends the
/// connection.
@Suite(.inTurn) struct BrokerLimitTests {
  private static let options = PublisherOptions(announcesPresence: false)

  /// The locations that the broker has received, in seconds since ``PublisherBench/start``.
  private static func seconds(_ broker: ScriptedBroker) -> [Int?] {
    broker.publications.map { publication in
      ForeignSubscriber.Message(
        topic: publication.topic, payload: String(decoding: publication.payload, as: UTF8.self)
      ).seconds
    }
  }

  @Test("F67 publications in flight are limited to the receive maximum", arguments: [1, 7])
  func receiveMaximum(_ maximum: UInt8) async throws {
    // Property 0x21 of MQTT 5. A broker that waits for more than its maximum would wait forever.
    let broker = ScriptedBroker(
      ScriptedBroker.Script(limits: [0x21, 0, maximum], window: Int(maximum)))
    let bench = try PublisherBench(port: broker.port, options: Self.options)
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<50)
    // The broker acknowledges nothing while fewer than the maximum are unacknowledged.
    let acknowledged = 50 - Int(maximum) + 1
    while bench.publisher.statistics.published < acknowledged { await Task.yield() }
    #expect(Self.seconds(broker) == Array(0..<50))
    #expect(broker.mostUnacknowledged == Int(maximum))
    run.cancel()
    _ = await run.result
  }

  @Test("F67 only a message that is too long for the broker is refused")
  func maximumPacketSize() async throws {
    // Property 0x27, the maximum packet size: 256 bytes.
    let broker = ScriptedBroker(ScriptedBroker.Script(limits: [0x27, 0, 0, 1, 0]))
    let bench = try PublisherBench(port: broker.port, options: Self.options)
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<10)
    while bench.publisher.statistics.published < 10 { await Task.yield() }
    try await bench.publisher.publish(.card(CardMessage(name: String(repeating: "x", count: 300))))
    try await bench.emit(10..<20)
    while bench.publisher.statistics.published < 20 { await Task.yield() }
    #expect(Self.seconds(broker) == Array(0..<20))
    #expect(bench.publisher.statistics.refused == 1)
    while bench.publisher.statistics.backlog.count > 0 { await Task.yield() }
    #expect(broker.longest <= 256)
    #expect(broker.connections == 1)
    run.cancel()
    _ = await run.result
  }

  @Test("F67 a second acceptance of a connection changes nothing")
  func secondAcceptance() async throws {
    let broker = ScriptedBroker(ScriptedBroker.Script(acceptances: 2))
    let bench = try PublisherBench(port: broker.port, options: Self.options)
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<10)
    while bench.publisher.statistics.published < 10 { await Task.yield() }
    #expect(Self.seconds(broker) == Array(0..<10))
    #expect(broker.connections == 1)
    run.cancel()
    _ = await run.result
  }

  /// The broker still answers pings.
  @Test("F67 publications are sent again on another connection if the broker acknowledges none")
  func withoutAcknowledgements() async throws {
    let broker = ScriptedBroker(ScriptedBroker.Script(acknowledges: { $0 > 1 }))
    let bench = try PublisherBench(port: broker.port, options: Self.options) {
      $0.keepAlive = .seconds(5)
    }
    let states = bench.publisher.connectionStates
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<20)
    for await state in states where state.phase == .waiting {
      #expect(state.problem?.code == .connectionLost)
      #expect(state.problem?.message.contains("has not acknowledged a publication") == true)
      break
    }
    while bench.publisher.statistics.backlog.count > 0 { await Task.yield() }
    #expect(Self.seconds(broker) == Array(0..<20) + Array(0..<20))
    run.cancel()
    _ = await run.result
  }

  /// With the lower quality of service, the broker may drop messages.
  @Test("F67 a granted QoS below the requested one is reported")
  func lowerQuality() async throws {
    let broker = ScriptedBroker(ScriptedBroker.Script(quality: 0))
    let fleet = try Fleet(FleetConfiguration(MQTTConfiguration.local(port: broker.port)))
    let states = fleet.connectionStates
    let updates = fleet.updates
    for await state in states where state.phase == .connected {
      #expect(state.problem?.message.contains("quality of service 0 only") == true)
      break
    }
    await fleet.shutdown()
    _ = updates
  }

  /// libmosquitto stores a message of QoS 2 until the broker releases it.
  @Test("F67 a broker that sends with an unrequested QoS is disconnected")
  func unrequestedQuality() async throws {
    // PUBLISH with QoS 2 to the topic "a/b/c", identifier 1, without properties.
    let message: [UInt8] = [0x34, 12, 0, 5] + Array("a/b/c".utf8) + [0, 1, 0] + Array("{}".utf8)
    let broker = ScriptedBroker(
      ScriptedBroker.Script(afterSubscription: message + message + message))
    var configuration = MQTTConfiguration.local(port: broker.port)
    configuration.reconnection = .exponential(
      initial: .milliseconds(10), maximum: .milliseconds(10), attempts: 3)
    let fleet = try Fleet(FleetConfiguration(configuration))
    var problems: [LocationError] = []
    let states = fleet.connectionStates
    let updates = fleet.updates
    for await state in states {
      if let problem = state.problem { problems.append(problem) }
      if broker.connections >= 3 { break }
    }
    #expect(problems.contains { $0.message.contains("protocol error") }, "\(problems)")
    await fleet.shutdown()
    _ = updates
  }
}
