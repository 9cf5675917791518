import AsyncLocation
import Glibc
import LocationStorage
import MQTTBackend
import MockBackend
import OwnTracks
import TestSupport
import Testing

/// F55 and F58: a broker that is absent, killed or silent, and withdrawals of permission.
@Suite(.needsBroker, .inTurn)
struct BrokerFaultTests {
  /// The number of times that a test kills the broker.
  static let kills = Rounds.environment("ASYNC_LOCATION_BROKER_RESTARTS", otherwise: 5)

  /// F55. The broker passes a publication on before it acknowledges it, so a subscriber that
  /// subscribed first receives every publication that the publisher may delete.
  @Test("F55 a broker that is killed loses nothing")
  func killsLoseNothing() async throws {
    let broker = try await RealBroker([
      "allow_anonymous true", "max_queued_messages 0", "max_inflight_messages 0",
    ])
    let relay = Relay(to: broker.port, isOpen: false)
    let bench = try PublisherBench(
      broker, storage: SQLitePublicationStorage(file: broker.folder + "/own/waiting.sqlite")
    ) { $0.port = relay.port }
    let run = Task { try await bench.publisher.run() }
    let total = 10_000
    try await bench.emit(0..<total)
    var messages = 0
    var seen: [Int] = []
    var known: Set<Int> = []
    for round in 0...Self.kills {
      var subscriber: BrokerSubscriber? = try await BrokerSubscriber(to: "owntracks/#", of: broker)
      relay.set(open: true)
      // A low goal leaves locations for later kills, although the publisher is faster than this
      // loop.
      let goal = round == Self.kills ? total : known.count + 50
      var isKilled = false
      while let second = await subscriber?.nextSecond() {
        messages += 1
        if known.insert(second).inserted { seen.append(second) }
        guard known.count >= goal, !isKilled else { continue }
        // The subscriber still reads the messages that the broker has passed on, until the
        // connection ends.
        isKilled = true
        relay.set(open: false)
        await broker.stop(SIGKILL)
        relay.breakAll()
      }
      subscriber = nil
      if round < Self.kills { try await broker.start() }
    }
    #expect(known == Set(0..<total))
    #expect(seen == seen.sorted(), "the first copies arrive in order")
    #expect(bench.publisher.statistics.dropped.total == 0)
    print("F55: \(Self.kills) kills, \(messages) messages for \(known.count) locations")
    run.cancel()
    _ = await run.result
  }

  /// F55. No bytes pass, and no end of the connection is signaled.
  @Test("F55 a broker that falls silent is noticed")
  func silenceIsNoticed() async throws {
    let broker = try await RealBroker()
    let relay = Relay(to: broker.port)
    let options = PublisherOptions(announcesPresence: false)
    let bench = try PublisherBench(broker, options: options) {
      ($0.port, $0.keepAlive) = (relay.port, .seconds(5))
    }
    let states = bench.publisher.connectionStates
    let run = Task { try await bench.publisher.run() }
    var phases: [ConnectionState.Phase] = []
    for await state in states {
      phases.append(state.phase)
      if state.phase == .connected { relay.set(dark: true) }
      if state.phase == .waiting {
        #expect(state.problem?.code == .connectionLost)
        break
      }
    }
    #expect(phases.contains(.connected))
    relay.set(dark: false)
    let subscriber = try await ForeignSubscriber(to: "owntracks/#", of: broker)
    try await bench.emit(0..<3)
    #expect(await subscriber.messages(3).map(\.seconds) == [0, 1, 2])
    run.cancel()
    _ = await run.result
  }

  /// F58. Permission is withdrawn while locations wait.
  @Test(
    "F58 a revocation deletes the backlog", arguments: [AuthorizationDecision.denied, .restricted])
  func revocationDeletesWaitingPublications(_ decision: AuthorizationDecision) async throws {
    let broker = try await RealBroker()
    let relay = Relay(to: broker.port, isOpen: false)
    let file = broker.folder + "/own/waiting.sqlite"
    // Without a will, the removal is the only message of this device.
    let options = PublisherOptions(announcesPresence: false)
    let bench = try PublisherBench(
      broker, storage: SQLitePublicationStorage(file: file), options: options,
      clock: ManualClock()
    ) { $0.port = relay.port }
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<100)
    while bench.publisher.statistics.stored < 100 { await Task.yield() }
    let subscriber = try await ForeignSubscriber(to: "#", of: broker)
    bench.backend.setAuthorization(decision)
    while await bench.manager.authorization().isAuthorized { await Task.yield() }
    relay.set(open: true)
    let error = await #expect(throws: LocationError.self) { try await run.value }
    #expect(error?.code == (decision == .restricted ? .restricted : .denied))
    #expect(bench.publisher.statistics.deleted == 100)
    // The next publisher finds no waiting publications.
    let next = try PublisherBench(
      broker, device: "car", storage: SQLitePublicationStorage(file: file))
    let nextRun = Task { try await next.publisher.run() }
    try await next.emit(0..<1)
    // The denied publisher has only removed a location that it may have published before.
    let messages = await subscriber.messages(2)
    #expect(messages.first == ForeignSubscriber.Message(topic: "owntracks/jane/boat", payload: ""))
    #expect(messages.last?.topic == "owntracks/jane/car")
    nextRun.cancel()
    _ = await nextRun.result
  }

  /// F58. Accuracy is reduced while locations wait: only reduced locations are sent.
  @Test("F58 a reduction deletes the backlog")
  func reductionDeletesWaitingPublications() async throws {
    let broker = try await RealBroker()
    let relay = Relay(to: broker.port, isOpen: false)
    let bench = try PublisherBench(broker) { $0.port = relay.port }
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<100)
    while bench.publisher.statistics.stored < 100 { await Task.yield() }
    let subscriber = try await ForeignSubscriber(to: "#", of: broker)
    bench.backend.setAuthorization(AuthorizationDecision(.whenInUse, accuracy: .reduced))
    while bench.publisher.statistics.deleted < 100 { await Task.yield() }
    relay.set(open: true)
    try bench.backend.emit(.location(try PublisherBench.location(1_000)))
    let messages = await subscriber.messages(2)
    #expect(messages.first?.payload == "", "the last location is removed")
    let parsed = try OwnTracksMessage(json: Array(try #require(messages.last).payload.utf8))
    guard case .location(let location) = parsed else {
      Issue.record("\(parsed)")
      return
    }
    #expect(try #require(location.location.horizontalAccuracy) > 1_000)
    #expect(location.location.latitude != (try PublisherBench.location(1_000).latitude))
    run.cancel()
    _ = await run.result
  }
}
