import AsyncLocation
import Glibc
import LocationTransport
import MockBackend
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

/// F66: the messages that still arrive when permission is withdrawn while publications are in
/// flight.
@Suite(.needsBroker, .inTurn)
struct WithdrawalTests {
  /// The number of unacknowledged messages that mosquitto accepts: the default of its
  /// `max_inflight_messages`.
  private static let receiveMaximum = 20
  private static let reduced = AuthorizationDecision(.whenInUse, accuracy: .reduced)

  /// Starts a publisher that has delivered one location and stored many more, of which a window is
  /// in flight: the broker is stopped, or the relay passes nothing on.
  private static func startWithFullWindow(
    _ broker: RealBroker, _ subscriber: ForeignSubscriber, relay: Relay? = nil
  ) async throws -> (PublisherBench, Task<Void, any Error>) {
    let bench = try PublisherBench(
      broker, options: PublisherOptions(announcesPresence: false), clock: ManualClock()
    ) {
      // A connection that is opened while the relay is dark gets no answer.
      if let relay { ($0.port, $0.keepAlive) = (relay.port, .seconds(5)) }
    }
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<1)
    #expect(await subscriber.messages(1).map(\.seconds) == [0])
    while bench.publisher.statistics.published < 1 { await Task.yield() }
    if let relay { relay.set(dark: true) } else { broker.send(SIGSTOP) }
    try await bench.emit(1..<200)
    while bench.publisher.statistics.stored < 200 { await Task.yield() }
    return (bench, run)
  }

  /// Receives messages until the removal of the retained location. Returns those before the
  /// removal.
  private static func messagesBeforeRemoval(
    _ subscriber: ForeignSubscriber
  ) async -> [ForeignSubscriber.Message] {
    var messages: [ForeignSubscriber.Message] = []
    repeat { messages += await subscriber.messages(1) } while messages.last?.payload != ""
    return messages.dropLast()
  }

  @Test("F66 a reduction sends at most the receive maximum, and removes the last location")
  func reduction() async throws {
    let broker = try await RealBroker()
    let subscriber = try await ForeignSubscriber(to: "owntracks/#", of: broker)
    let (bench, run) = try await Self.startWithFullWindow(broker, subscriber)
    bench.backend.setAuthorization(Self.reduced)
    while bench.publisher.statistics.deleted < 199 { await Task.yield() }
    try bench.backend.emit(.location(try PublisherBench.location(1_000)))
    broker.send(SIGCONT)
    // Exact locations may arrive before the removal, and none after it.
    let messages = await Self.messagesBeforeRemoval(subscriber)
    #expect(messages.count <= Self.receiveMaximum)
    #expect(messages.allSatisfy { ($0.seconds ?? 0) < 200 })
    #expect(await subscriber.messages(1).map(\.seconds) == [900])
    // A later subscriber gets the reduced location.
    let late = try await ForeignSubscriber(to: "owntracks/jane/boat", of: broker)
    #expect(await late.messages(1).map(\.seconds) == [900])
    while bench.publisher.statistics.backlog.count > 0 { await Task.yield() }
    run.cancel()
    _ = await run.result
  }

  @Test("F66 a denial sends at most the receive maximum")
  func denial() async throws {
    let broker = try await RealBroker()
    let subscriber = try await ForeignSubscriber(to: "#", of: broker)
    let (bench, run) = try await Self.startWithFullWindow(broker, subscriber)
    bench.backend.setAuthorization(.denied)
    while bench.publisher.statistics.deleted < 199 { await Task.yield() }
    broker.send(SIGCONT)
    await #expect(throws: LocationError.self) { try await run.value }
    #expect(await Self.messagesBeforeRemoval(subscriber).count <= Self.receiveMaximum)
    #expect(
      try await PublisherBench.nextTopic(from: broker, to: subscriber) == "owntracks/jane/car")
  }

  /// Messages beyond the receive maximum would be buffered by the client library, and written when
  /// it disconnects.
  @Test("F66 a reduction sends at most one message with a receive maximum of one")
  func receiveMaximumOfOne() async throws {
    let broker = try await RealBroker(["allow_anonymous true", "max_inflight_messages 1"])
    let subscriber = try await ForeignSubscriber(to: "owntracks/#", of: broker)
    let (bench, run) = try await Self.startWithFullWindow(broker, subscriber)
    bench.backend.setAuthorization(Self.reduced)
    while bench.publisher.statistics.deleted < 199 { await Task.yield() }
    broker.send(SIGCONT)
    #expect(await Self.messagesBeforeRemoval(subscriber).count <= 1)
    run.cancel()
    _ = await run.result
  }

  /// The network loses the messages in flight. Over the same connection, the system would send them
  /// again.
  @Test("F66 a reduction drops the connection and its unacknowledged messages")
  func reductionDropsTheConnection() async throws {
    let broker = try await RealBroker()
    let relay = Relay(to: broker.port)
    let subscriber = try await ForeignSubscriber(to: "owntracks/#", of: broker)
    let (bench, run) = try await Self.startWithFullWindow(broker, subscriber, relay: relay)
    while bench.publisher.current.delivery.request != nil { await Task.yield() }
    bench.backend.setAuthorization(Self.reduced)
    await relay.waitForConnections(2)
    // Messages that the new connection sent while the relay was dark are lost and sent again.
    relay.set(dark: false)
    relay.breakAll()
    #expect(await subscriber.messages(1).map(\.payload) == [""])
    run.cancel()
    _ = await run.result
  }

  /// Bytes that are not discarded would be sent by the system even after the connection is closed.
  @Test("F66 a reduction discards the unsent bytes of the socket")
  func reductionDiscardsUnsentBytes() async throws {
    let deaf = DeafBroker()
    let bench = try PublisherBench(try await RealBroker()) {
      // With a shorter keep-alive, the unanswered ping would close the connection in order.
      ($0.port, $0.keepAlive) = (deaf.port, .seconds(65_535))
    }
    let run = Task { try await bench.publisher.run() }
    await deaf.waitForConnection()
    // Each message has 100 kB: less than the system buffers on both sides, and more than the
    // receive buffer of the server.
    let area = try Condition.circle(center: Coordinate(latitude: 60, longitude: 24.5), radius: 100)
    let areas = (0..<1_000).map { ("\($0)" + String(repeating: "a", count: 60), area) }
    for _ in 0..<5 {
      _ = try await bench.publisher.publish(waypoints: Dictionary(uniqueKeysWithValues: areas))
    }
    let size = bench.publisher.statistics.backlog.bytes
    #expect(size > 500_000)
    let delivery = bench.publisher.current.delivery
    while delivery.request?.after != 5 { await Task.yield() }
    // When another publication is handed over, the first five have been passed to the writing
    // thread.
    try await bench.emit(0..<1)
    while delivery.request?.after != 6 { await Task.yield() }
    let loop = try EventLoop.shared()
    await withCheckedContinuation { continuation in loop.submit { continuation.resume() } }
    bench.backend.setAuthorization(Self.reduced)
    await deaf.waitForConnection()
    #expect(await deaf.readAll() < 300_000)
    run.cancel()
    _ = await run.result
  }

  @Test("F66 each run with reduced accuracy begins with the removal")
  func anEarlierRunsLocationIsRemoved() async throws {
    let broker = try await RealBroker()
    let subscriber = try await ForeignSubscriber(to: "owntracks/#", of: broker)
    let first = try PublisherBench(broker, options: PublisherOptions(announcesPresence: false))
    let firstRun = Task { try await first.publisher.run() }
    try await first.emit(0..<1)
    try first.backend.end()
    try await firstRun.value
    #expect(await subscriber.messages(1).map(\.seconds) == [0])
    let second = try PublisherBench(broker, options: PublisherOptions(announcesPresence: false))
    second.backend.setAuthorization(Self.reduced)
    let run = Task { try await second.publisher.run() }
    #expect(await subscriber.messages(1).map(\.payload) == [""])
    run.cancel()
    _ = await run.result
  }
}
