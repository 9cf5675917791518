import AsyncLocation
import Glibc
import MockBackend
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

/// F58: the retained messages of a device whose permission is withdrawn are removed, by the next
/// run if necessary.
@Suite(.needsBroker, .inTurn)
struct RemovalTests {
  private static let reduced = AuthorizationDecision(.whenInUse, accuracy: .reduced)
  private let broker: RealBroker
  private let storage = MemoryPublicationStorage()

  init() async throws { broker = try await RealBroker() }

  private func bench(
    _ decision: AuthorizationDecision? = nil, device: String = "boat", relay: Relay? = nil,
    // System clock: it paces retries.
    clock: any Clock<Duration> = .continuous
  ) throws -> PublisherBench {
    let bench = try PublisherBench(
      broker, device: device, storage: storage, options: PublisherOptions(announcesPresence: false),
      clock: clock
    ) { if let relay { $0.port = relay.port } }
    if let decision { bench.backend.setAuthorization(decision) }
    return bench
  }

  private func expectDenied(_ run: Task<Void, any Error>) async {
    let error = await #expect(throws: LocationError.self) { try await run.value }
    #expect(error?.code == .denied)
  }

  private func cancel(_ run: Task<Void, any Error>) async {
    run.cancel()
    _ = await run.result
  }

  /// Stores locations in a run that reaches no broker.
  private func store(_ seconds: [Int], under decision: AuthorizationDecision? = nil) async throws {
    let relay = Relay(to: broker.port, isOpen: false)
    defer { relay.breakAll() }
    let bench = try bench(decision, relay: relay)
    let run = Task { try await bench.publisher.run() }
    for (index, second) in seconds.enumerated() {
      try await bench.emit(second..<second + 1)
      while bench.publisher.statistics.stored <= index { await Task.yield() }
    }
    await cancel(run)
  }

  /// Starts a publisher, and waits until it has delivered one location. Returns the task of its
  /// run.
  private func deliver(
    _ bench: PublisherBench, to subscriber: ForeignSubscriber
  ) async throws -> Task<Void, any Error> {
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<1)
    #expect(await subscriber.messages(1).map(\.seconds) == [0])
    while bench.publisher.statistics.published < 1 { await Task.yield() }
    return run
  }

  /// Returns the topics of the messages that the broker retains. A new subscriber receives them
  /// before messages that are published later, such as the marker.
  private func retainedTopics() async throws -> [String] {
    let late = try await ForeignSubscriber(to: "owntracks/#", of: broker)
    let marker = try PublisherBench(broker, user: "zoe", device: "car")
    let run = Task { try await marker.publisher.run() }
    try await marker.emit(0..<1)
    var topics: [String] = []
    while let topic = await late.messages(1).first?.topic, topic != "owntracks/zoe/car" {
      topics.append(topic)
    }
    await cancel(run)
    return topics
  }

  @Test("F58 a denial removes the last location from the broker")
  func denial() async throws {
    let subscriber = try await ForeignSubscriber(to: "owntracks/jane/#", of: broker)
    let bench = try bench(clock: ManualClock())
    let run = try await deliver(bench, to: subscriber)
    bench.backend.setAuthorization(.denied)
    await expectDenied(run)
    #expect(await subscriber.messages(1).map(\.payload) == [""])
    #expect(bench.publisher.statistics.backlog.count == 0)
    #expect(try await retainedTopics() == [])
  }

  @Test("F58 after a denial without a broker, the next run removes the last location")
  func theNextRunRemovesTheLastLocation() async throws {
    let relay = Relay(to: broker.port)
    let subscriber = try await ForeignSubscriber(to: "owntracks/jane/#", of: broker)
    let clock = ManualClock()
    let first = try bench(relay: relay, clock: clock)
    let run = try await deliver(first, to: subscriber)
    relay.set(dark: true)
    first.backend.setAuthorization(.denied)
    // Lets the publisher give up waiting for the broker.
    await clock.waitForSleepers()
    clock.advance(by: .seconds(10))
    await expectDenied(run)
    #expect(first.publisher.statistics.backlog.count == 1)
    relay.set(dark: false)
    let second = try bench(.denied, clock: ManualClock())
    await expectDenied(Task { try await second.publisher.run() })
    #expect(await subscriber.messages(1).map(\.payload) == [""])
    // A further run has nothing left to remove.
    let unused = Relay(to: broker.port)
    let third = try bench(.denied, relay: unused)
    await expectDenied(Task { try await third.publisher.run() })
    #expect(unused.accepted == 0)
  }

  @Test("F58 a denial between two runs removes the last location from the broker")
  func deniedBetweenRuns() async throws {
    let subscriber = try await ForeignSubscriber(to: "owntracks/jane/#", of: broker)
    let run = try await deliver(try bench(), to: subscriber)
    await cancel(run)
    let second = try bench(.denied, clock: ManualClock())
    await expectDenied(Task { try await second.publisher.run() })
    #expect(await subscriber.messages(1).map(\.payload) == [""])
    #expect(try await retainedTopics() == [])
  }

  @Test("F58 a later run removes the last location of another topic")
  func deniedUnderAnotherTopic() async throws {
    let subscriber = try await ForeignSubscriber(to: "owntracks/jane/boat", of: broker)
    let run = try await deliver(try bench(), to: subscriber)
    await cancel(run)
    let renamed = try bench(.denied, device: "tender", clock: ManualClock())
    await expectDenied(Task { try await renamed.publisher.run() })
    #expect(await subscriber.messages(1).map(\.payload) == [""])
    #expect(try await retainedTopics() == [])
    #expect(renamed.publisher.statistics.backlog.count == 0)
  }

  @Test("F58 a publisher that is denied from the start does not connect")
  func deniedFromTheStart() async throws {
    let relay = Relay(to: broker.port)
    for _ in 0..<20 {
      let bench = try PublisherBench(broker) { $0.port = relay.port }
      bench.backend.setAuthorization(.denied)
      await expectDenied(Task { try await bench.publisher.run() })
    }
    #expect(relay.accepted == 0)
  }

  @Test("F58 a later run with reduced accuracy sends the backlog of reduced accuracy")
  func reducedFromTheStart() async throws {
    try await store([0, 1_000], under: Self.reduced)
    let subscriber = try await ForeignSubscriber(to: "owntracks/jane/#", of: broker)
    let bench = try bench(Self.reduced)
    let run = Task { try await bench.publisher.run() }
    let messages = await subscriber.messages(3)
    #expect(messages.first?.payload == "")
    #expect(messages.dropFirst().map(\.seconds) == [0, 900])
    #expect(bench.publisher.statistics.deleted == 0)
    await cancel(run)
  }

  @Test("F58 a later run with reduced accuracy sends no backlog of full accuracy")
  func reducedBetweenRuns() async throws {
    try await store(Array(0..<10))
    let subscriber = try await ForeignSubscriber(to: "owntracks/jane/#", of: broker)
    let bench = try bench(Self.reduced)
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(1_000..<1_001)
    let messages = await subscriber.messages(2)
    #expect(messages.first?.payload == "")
    #expect(messages.last?.seconds == 900)
    #expect(bench.publisher.statistics.deleted == 10)
    await cancel(run)
  }

  /// Permission is granted again while the broker is still unavailable and the limit is small.
  @Test func waitingRemovalIsNotDropped() async throws {
    let relay = Relay(to: broker.port)
    let clock = ManualClock()
    let first = try bench(relay: relay, clock: clock)
    let run = Task { try await first.publisher.run() }
    try await first.emit(0..<1)
    while first.publisher.statistics.published < 1 { await Task.yield() }
    relay.set(dark: true)
    first.backend.setAuthorization(.denied)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(10))
    await expectDenied(run)
    #expect(first.publisher.statistics.backlog.count == 1)
    let away = Relay(to: broker.port, isOpen: false)
    let second = try PublisherBench(
      broker, device: "boat", storage: storage,
      options: PublisherOptions(
        limits: PublicationLimits(count: 2), retainsLastLocation: false, announcesPresence: false)
    ) { $0.port = away.port }
    let next = Task { try await second.publisher.run() }
    for number in 1...5 {
      try await second.emit(number..<number + 1)
      while second.publisher.statistics.stored < number { await Task.yield() }
    }
    away.set(open: true)
    while second.publisher.statistics.backlog.count > 0 { await Task.yield() }
    await cancel(next)
    #expect(second.publisher.statistics.dropped.count == 3)
    #expect(try await retainedTopics() == [])
  }
}
