import AsyncLocation
import FoundationEssentials
import Glibc
import MQTTBackend
import MockBackend
import TestSupport
import Testing

/// F55: a broker that is silent while locations wait or are in flight. A fleet receives them.
@Suite(.needsBroker, .inTurn)
struct BrokerSilenceTests {
  /// A fleet whose own connection outlasts the silence.
  static func observer(_ broker: RealBroker, host: String = "127.0.0.1") async throws -> Fleet {
    var configuration = MQTTConfiguration.local(broker)
    configuration.host = host
    configuration.keepAlive = .seconds(600)
    let fleet = try Fleet(
      FleetConfiguration(configuration, limits: FleetLimits(buffering: .newest(100_000))))
    await FleetBrokerTests.waitUntilConnected(fleet)
    return fleet
  }

  /// Waits until the publisher gives up the connection because the broker is silent.
  static func waitUntilConnectionIsGivenUp(_ states: AsyncStream<ConnectionState>) async {
    for await state in states where state.phase == .waiting {
      #expect(state.problem?.code == .connectionLost)
      // Either an unanswered ping or an unacknowledged publication is detected first.
      let texts = ["does not answer any more", "has not acknowledged a publication"]
      #expect(texts.contains { state.problem?.message.contains($0) == true }, "\(state)")
      return
    }
    Issue.record("The run ended.")
  }

  /// The seconds since ``PublisherBench/start`` of the next locations, in the order of arrival.
  static func seconds(_ count: Int, from updates: FleetUpdates) async throws -> [Int] {
    var seconds: [Int] = []
    for try await update in updates {
      seconds.append(update.location.secondsSinceStart)
      if seconds.count == count { break }
    }
    return seconds
  }

  /// Checks that a silence loses no location. It begins after the first 50 of 1,000 locations have
  /// arrived, and 100 more locations are stored before it ends.
  private func expectNothingLost(
    _ bench: PublisherBench, _ fleet: Fleet, beginSilence: () async throws -> Void,
    endSilence: () async throws -> Void
  ) async throws {
    let (updates, states) = (fleet.updates, bench.publisher.connectionStates)
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<1_000)
    #expect(try await Self.seconds(50, from: updates) == Array(0..<50))
    try await beginSilence()
    try await bench.emit(1_000..<1_100)
    while bench.publisher.statistics.stored < 1_100 { await Task.yield() }
    await Self.waitUntilConnectionIsGivenUp(states)
    let waiting = bench.publisher.statistics.backlog.count
    #expect(waiting >= 100)
    try await endSilence()
    // A fleet drops locations that are older than the last one delivered. All of them are
    // delivered, so their first copies arrived in order.
    #expect(try await Self.seconds(1_050, from: updates) == Array(50..<1_100))
    while bench.publisher.statistics.backlog.count > 0 { await Task.yield() }
    #expect(bench.publisher.statistics.published >= 1_100)
    #expect(bench.publisher.statistics.dropped.total == 0)
    let repeated = fleet.statistics.duplicates + fleet.statistics.stale
    print("F55: \(waiting) waited, \(repeated) arrived twice")
    run.cancel()
    _ = await run.result
    await fleet.shutdown()
  }

  @Test(
    "F55 a link that is cut is noticed, and loses nothing",
    .enabled("needs ip (iproute2), and root that may create a network namespace") {
      await BrokerNetwork.isPossible
    })
  func cutLink() async throws {
    let broker = try await RealBroker(FleetBrokerTests.unlimited, hasOwnNetwork: true)
    let link = try await BrokerNetwork(to: broker)
    // The fleet has its own link, which stays up.
    let fleetLink = try await BrokerNetwork(to: broker)
    let fleet = try await Self.observer(broker, host: fleetLink.address)
    let options = PublisherOptions(announcesPresence: false)
    let bench = try PublisherBench(broker, options: options) {
      ($0.host, $0.keepAlive) = (link.address, .seconds(5))
    }
    try await expectNothingLost(
      bench, fleet, beginSilence: { try await link.set(up: false) },
      endSilence: { try await link.set(up: true) })
  }

  @Test("F55 a broker that is stopped longer than the keep-alive loses nothing")
  func longStop() async throws {
    let broker = try await RealBroker(FleetBrokerTests.unlimited)
    let fleet = try await Self.observer(broker)
    let bench = try PublisherBench(broker, options: PublisherOptions(announcesPresence: false)) {
      $0.keepAlive = .seconds(5)
    }
    try await expectNothingLost(
      bench, fleet, beginSilence: { broker.send(SIGSTOP) }, endSilence: { broker.send(SIGCONT) })
  }

  /// The stop ends when another client, with a shorter keep-alive, has noticed it.
  @Test("F55 a stop shorter than the keep-alive does not end the connection")
  func shortStop() async throws {
    let broker = try await RealBroker(FleetBrokerTests.unlimited)
    let relay = Relay(to: broker.port)
    let fleet = try await Self.observer(broker)
    let updates = fleet.updates
    let bench = try PublisherBench(broker) {
      $0.port = relay.port
      $0.keepAlive = .seconds(60)
    }
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<100)
    #expect(try await Self.seconds(100, from: updates) == Array(0..<100))
    while bench.publisher.statistics.published < 100 { await Task.yield() }
    let impatient = try await BrokerSubscriber(to: "nothing", of: broker, keepAlive: .seconds(5))
    broker.send(SIGSTOP)
    try await bench.emit(100..<1_000)
    #expect(await impatient.nextSecond() == nil, "its connection ended")
    #expect(bench.publisher.statistics.published == 100)
    broker.send(SIGCONT)
    #expect(try await Self.seconds(900, from: updates) == Array(100..<1_000))
    while bench.publisher.statistics.backlog.count > 0 { await Task.yield() }
    #expect(relay.accepted == 1)
    #expect(fleet.statistics.messages == 1_000)
    run.cancel()
    _ = await run.result
    await fleet.shutdown()
  }
}
