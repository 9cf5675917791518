import AsyncLocation
import Glibc
import MQTTBackend
import MockBackend
import OwnTracks
import TestSupport
import Testing

/// F56, F67, F68: how a publisher, a fleet and a backend report a broker's refusals.
@Suite(.needsBroker, .inTurn)
struct BrokerRuleTests {
  /// A refused publication waits, is tried again with growing delays, and is delivered in order
  /// once the rule is repaired.
  @Test("F56 a repaired rule delivers waiting publications")
  func repairedRuleDeliversWaitingPublications() async throws {
    let broker = try await RealBroker(
      ["allow_anonymous true", "acl_file $FOLDER/rules"], files: ["rules": "topic read #\n"])
    let subscriber = try await ForeignSubscriber(to: "owntracks/#", of: broker)
    let clock = ManualClock()
    let bench = try PublisherBench(
      broker, options: PublisherOptions(announcesPresence: false, window: 1), clock: clock)
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<100)
    for seconds in [1, 2, 4, 8, 16, 32, 32] {
      while clock.sleeperCount == 0 { await Task.yield() }
      let delay = clock.nextDeadline.map { clock.now.duration(to: $0) }
      #expect(delay == .seconds(seconds))
      clock.advanceToNextDeadline()
    }
    while clock.sleeperCount == 0 { await Task.yield() }
    // Each attempt sends one publication, because the window is 1.
    await broker.waitForLog("rc135", count: 8)
    #expect(broker.lines.count { $0.contains("Denied PUBLISH") } == 8)
    let statistics = bench.publisher.statistics
    #expect(statistics.published == 0)
    #expect(statistics.refused == 0, "nothing is given up")
    #expect(statistics.backlog.count == 100)
    #expect(statistics.problem?.code == .denied)
    #expect(
      (statistics.problem?.cause as? BrokerRefusal)
        == .notAuthorized(topic: "owntracks/jane/boat"))
    #expect(statistics.problem?.message.contains("Check its rules") == true)
    try broker.write("topic readwrite #\n", to: "rules")
    broker.send(SIGHUP)
    await broker.waitForLog("Reloading config")
    clock.advanceToNextDeadline()
    #expect(await subscriber.messages(100).map(\.seconds) == Array(0..<100))
    while bench.publisher.statistics.backlog.count > 0 { await Task.yield() }
    #expect(bench.publisher.statistics.published == 100)
    #expect(bench.publisher.statistics.problem == nil)
    run.cancel()
    _ = await run.result
  }

  /// More messages are refused than a window holds, between accepted locations.
  @Test("F68 a refused topic delays no other one") func aRefusedTopicDelaysNoOther() async throws {
    let broker = try await RealBroker(
      ["allow_anonymous true", "acl_file $FOLDER/rules"],
      files: ["rules": "topic read #\ntopic write owntracks/jane/boat\n"])
    let locations = try await ForeignSubscriber(to: "owntracks/jane/boat", of: broker)
    let cards = try await ForeignSubscriber(to: "owntracks/jane/boat/info", of: broker)
    let clock = ManualClock()
    let bench = try PublisherBench(
      broker, options: PublisherOptions(announcesPresence: false), clock: clock)
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<1)
    while bench.publisher.statistics.published < 1 { await Task.yield() }
    for number in 0..<150 {
      try await bench.publisher.publish(.card(CardMessage(name: "\(number)")))
    }
    await clock.waitForSleepers()
    try await bench.emit(1..<200)
    #expect(await locations.messages(200).map(\.seconds) == Array(0..<200))
    while bench.publisher.statistics.published < 200 { await Task.yield() }
    // The problem remains, because the accepted locations have another topic.
    #expect(bench.publisher.statistics.problem?.code == .denied)
    while bench.publisher.statistics.backlog.count > 150 { await Task.yield() }
    #expect(bench.publisher.statistics.refused == 0)

    try broker.write("topic readwrite #\n", to: "rules")
    broker.send(SIGHUP)
    await broker.waitForLog("Reloading config")
    clock.advanceToNextDeadline()
    let names = await cards.messages(150).map(\.payload)
    #expect(names == (0..<150).map { #"{"_type":"card","name":"\#($0)"}"# })
    while bench.publisher.statistics.backlog.count > 0 { await Task.yield() }
    #expect(bench.publisher.statistics.problem == nil)
    run.cancel()
    _ = await run.result
  }

  /// Without acknowledgements, the publisher would not know which messages have arrived.
  @Test("F67 nothing is sent to a broker without acknowledgements")
  func nothingIsSentWithoutAcknowledgements() async throws {
    let storage = MemoryPublicationStorage()
    let options = PublisherOptions(announcesPresence: false)
    do {
      let absent = try await RealBroker()
      await absent.stop()
      let bench = try PublisherBench(absent, storage: storage, options: options)
      let run = Task { try await bench.publisher.run() }
      try await bench.emit(0..<50)
      while bench.publisher.statistics.stored < 50 { await Task.yield() }
      run.cancel()
      _ = await run.result
    }
    do {
      let broker = try await RealBroker(["allow_anonymous true", "max_qos 0"])
      let bench = try PublisherBench(broker, storage: storage, options: options)
      let error = await #expect(throws: LocationError.self) { try await bench.publisher.run() }
      #expect(error?.code == .unsupported)
      #expect(error?.message.contains("max_qos") == true)
      #expect(bench.publisher.statistics.refused == 0)
      #expect(bench.publisher.statistics.backlog.count == 50)
    }
    let broker = try await RealBroker(["allow_anonymous true", "max_qos 1"])
    let subscriber = try await ForeignSubscriber(to: "owntracks/#", of: broker)
    let bench = try PublisherBench(broker, storage: storage, options: options)
    let run = Task { try await bench.publisher.run() }
    #expect(await subscriber.messages(50).map(\.seconds) == Array(0..<50))
    run.cancel()
    _ = await run.result
  }

  @Test("F67 a broker that retains nothing receives every location, and no removal")
  func noRemovalIsSentWithoutRetainedMessages() async throws {
    let broker = try await RealBroker(["allow_anonymous true", "retain_available false"])
    let subscriber = try await ForeignSubscriber(to: "#", of: broker)
    let bench = try PublisherBench(
      broker, options: PublisherOptions(announcesPresence: false), clock: ManualClock())
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<3)
    #expect(await subscriber.messages(3).map(\.seconds) == [0, 1, 2])
    while bench.publisher.statistics.backlog.count > 0 { await Task.yield() }
    bench.backend.setAuthorization(.denied)
    await #expect(throws: LocationError.self) { try await run.value }
    #expect(bench.publisher.statistics.refused == 0)
    #expect(bench.publisher.statistics.backlog.count == 0)
    #expect(
      try await PublisherBench.nextTopic(from: broker, to: subscriber) == "owntracks/jane/car")
  }

  /// The password is wrong at first, and later the file is incomplete for a while.
  @Test("F56 a renewed password delivers waiting publications")
  func renewedPasswordDeliversWaitingPublications() async throws {
    let broker = try await RealBroker(BrokerRefusalTests.passwords, passwords: ["jane": "secret"])
    let file = broker.folder + "/credentials"
    try broker.write("jane\nwrong\n", to: "credentials")
    let bench = try PublisherBench(broker, options: PublisherOptions(announcesPresence: false)) {
      $0.credentials = .file(file)
      $0.reconnection = .exponential(
        initial: .milliseconds(10), maximum: .milliseconds(20), jitter: 0)
    }
    let states = bench.publisher.connectionStates
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<10)
    var refusals = 0
    for await state in states where state.phase == .waiting {
      #expect(state.problem?.code == .credentialsRefused)
      #expect((state.problem?.cause as? BrokerRefusal) == .credentials)
      #expect(state.retryDelay == .milliseconds(20), "the longest, from the first on")
      refusals += 1
      if refusals == 3 { break }
    }
    try broker.write("jane\nsecret\n", to: "credentials")
    while bench.publisher.statistics.published < 10 { await Task.yield() }

    // A connection has succeeded before, so an unusable file counts as one that is being replaced.
    let later = bench.publisher.connectionStates
    try broker.write("jane", to: "credentials")
    await broker.stop()
    try await broker.start()
    for await state in later where state.problem?.code == .invalidValue { break }
    try await bench.emit(10..<20)
    try broker.write("jane\nsecret\n", to: "credentials")
    while bench.publisher.statistics.published < 20 { await Task.yield() }
    run.cancel()
    _ = await run.result
  }

  @Test("F56 an unusable file of credentials ends a run that was never connected")
  func anUnusableFileEndsAPublisher() async throws {
    let broker = try await RealBroker(BrokerRefusalTests.passwords, passwords: ["jane": "secret"])
    let bench = try PublisherBench(broker) { $0.credentials = .file(broker.folder + "/missing") }
    let states = bench.publisher.connectionStates
    let error = await #expect(throws: LocationError.self) { try await bench.publisher.run() }
    #expect(error?.code == .invalidValue)
    var phases: [ConnectionState.Phase] = []
    for await state in states { phases.append(state.phase) }
    #expect(phases == [.idle, .connecting, .failed])
  }

  @Test func aWrongPasswordEndsAFleet() async throws {
    let broker = try await RealBroker(BrokerRefusalTests.passwords, passwords: ["jane": "secret"])
    var configuration = MQTTConfiguration.local(broker)
    configuration.credentials = .password(user: "jane", password: "wrong")
    let fleet = try Fleet(FleetConfiguration(configuration))
    let error = await #expect(throws: LocationError.self) {
      for try await _ in fleet.updates {}
    }
    #expect(error?.code == .credentialsRefused)
    #expect((error?.cause as? BrokerRefusal) == .credentials)
    await fleet.shutdown()
  }

  @Test(arguments: [nil, "group"])
  func aRuleAgainstSubscriptionsEndsAFleet(_ group: String?) async throws {
    let broker = try await RealBroker(RealBroker.dynamicRules, files: RealBroker.noSubscriptions)
    let fleet = try Fleet(FleetConfiguration(.local(broker), group: group))
    let error = await #expect(throws: LocationError.self) {
      for try await _ in fleet.updates {}
    }
    #expect(error?.code == .denied)
    let filter = (group.map { "$share/\($0)/" } ?? "") + "owntracks/+/+"
    #expect((error?.cause as? BrokerRefusal) == .notAuthorized(topic: filter))
    await fleet.shutdown()
  }

  @Test func aRuleAgainstSubscriptionsEndsABackend() async throws {
    let broker = try await RealBroker(RealBroker.dynamicRules, files: RealBroker.noSubscriptions)
    let backend = MQTTBackend(
      .local(broker), topic: try OwnTracksTopic(user: "jane", device: "boat"))
    let (events, sink) = AsyncStream.makeStream(of: BackendEvent.self)
    let error = await #expect(throws: LocationError.self) {
      try await backend.run(BackendDemand(kinds: .locations)) { events in
        for event in events { sink.yield(event) }
      }
    }
    sink.finish()
    #expect(error?.code == .denied)
    #expect((error?.cause as? BrokerRefusal) == .notAuthorized(topic: "owntracks/jane/boat"))
    var seen: [BackendEvent] = []
    for await event in events { seen.append(event) }
    #expect(
      seen.contains {
        if case .authorization(.denied) = $0 { true } else { false }
      })
  }
}
