import AsyncLocation
import FoundationEssentials
import Glibc
import LocationFleet
import LocationPublishing
import MQTTBackend
import MockBackend
import OwnTracks
import TestSupport
import Testing

/// F75: locations that a mosquitto with its default settings loses, and a server that is absent.
@Suite(.needsBroker, .inTurn) struct ConfirmationFaultTests {
  private static let options = PublisherOptions(confirmation: .stored)
  private static let boat = FleetDevice.ID("jane/boat")!

  /// The locations in the history of a fleet, in seconds since ``PublisherBench/start``.
  private static func seconds(_ fleet: Fleet) async throws -> [Int] {
    let history = try #require(fleet.history)
    var seconds: [Int] = []
    for try await location in history.track(of: boat, from: .distantPast, to: .distantFuture) {
      seconds.append(location.secondsSinceStart)
    }
    return seconds
  }

  @Test("F75 what a killed broker had acknowledged is sent again and stored once")
  func killedBroker() async throws {
    let broker = try await RealBroker()
    let relay = Relay(to: broker.port)
    let bench = try PublisherBench(broker, options: Self.options) { $0.port = relay.port }
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<100)
    // Nobody is subscribed: the broker acknowledges the locations and forgets them.
    while bench.publisher.statistics.unconfirmed < 100 { await Task.yield() }
    #expect(bench.publisher.statistics.published == 0)
    #expect(bench.publisher.statistics.backlog.count == 100)
    relay.set(open: false)
    await broker.stop(SIGKILL)
    relay.breakAll()
    try await broker.start()
    let fleet = try await Self.fleet(broker)
    relay.set(open: true)
    while bench.publisher.statistics.published < 100 { await Task.yield() }
    #expect(try await Self.seconds(fleet) == Array(0..<100))
    #expect(bench.publisher.statistics.repeated == 0, "the connection is another one")
    #expect(bench.publisher.statistics.lost == 0)
    run.cancel()
    _ = await run.result
    await fleet.shutdown()
  }

  /// Returns a connected fleet with a storage.
  private static func fleet(_ broker: RealBroker) async throws -> Fleet {
    let fleet = try await Fleet(FleetConfiguration(.local(broker)), storage: MemoryFleetStorage())
    await FleetBrokerTests.waitUntilConnected(fleet)
    return fleet
  }

  @Test("F75 a broker that is killed again and again loses nothing")
  func kills() async throws {
    let broker = try await RealBroker()
    let fleet = try await Self.fleet(broker)
    var options = Self.options
    options.confirmationTimeout = .milliseconds(200)
    let bench = try PublisherBench(broker, options: options)
    let run = Task { try await bench.publisher.run() }
    let kills = BrokerFaultTests.kills
    for kill in 0..<kills {
      try await bench.emit(kill * 300..<(kill + 1) * 300)
      // Killed while some locations wait, some are at the broker, and some are stored.
      while bench.publisher.statistics.published < kill * 300 + 30 { await Task.yield() }
      await broker.stop(SIGKILL)
      try await broker.start()
    }
    while bench.publisher.statistics.published < kills * 300 { await Task.yield() }
    #expect(try await Self.seconds(fleet) == Array(0..<kills * 300))
    let statistics = bench.publisher.statistics
    print(
      "F75: \(kills) kills of the broker, \(kills * 300) locations, \(statistics.repeated) repeated"
    )
    run.cancel()
    _ = await run.result
    await fleet.shutdown()
  }

  @Test("F75 what a server has missed is sent again when its confirmation is overdue")
  func absentServer() async throws {
    let broker = try await RealBroker()
    let clock = ManualClock()
    let bench = try PublisherBench(broker, options: Self.options, clock: clock)
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<10)
    while bench.publisher.statistics.unconfirmed < 10 { await Task.yield() }
    let fleet = try await Self.fleet(broker)
    // The fleet confirms the last location, which the broker retains.
    while bench.publisher.statistics.published < 1 { await Task.yield() }
    // The first check marks unconfirmed locations as overdue, the second one has them sent again.
    await clock.step()
    await clock.step()
    while bench.publisher.statistics.published < 10 { await Task.yield() }
    #expect(bench.publisher.statistics.repeated == 9)
    #expect(try await Self.seconds(fleet) == Array(0..<10))
    // The broker still retains the last location.
    let later = try Fleet(FleetConfiguration(.local(broker)))
    var updates = later.updates.makeAsyncIterator()
    let retained = try await updates.next()
    #expect(retained?.location == (try PublisherBench.location(9)))
    await later.shutdown()
    await bench.manager.shutdown()
    try await run.value
    #expect(bench.publisher.statistics.backlog.count == 0)
    await fleet.shutdown()
  }

  @Test func aWithdrawalDeletesWhatIsUnconfirmed() async throws {
    let broker = try await RealBroker()
    let storage = MemoryPublicationStorage()
    let bench = try PublisherBench(broker, storage: storage, options: Self.options)
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<5)
    while bench.publisher.statistics.unconfirmed < 5 { await Task.yield() }
    bench.backend.setAuthorization(.denied)
    let error = await #expect(throws: LocationError.self) { try await run.value }
    #expect(error?.code == .denied)
    let (session, stored) = try await storage.open(PublicationLimits())
    #expect(stored.backlog.count == 0)
    await session.close()
  }

  @Test func aRefusedSubscriptionNamesTheTopic() async throws {
    let broker = try await RealBroker(
      RealBroker.dynamicRules, files: RealBroker.noSubscriptions)
    let bench = try PublisherBench(broker, options: Self.options)
    let states = bench.publisher.connectionStates
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<1)
    for await state in states {
      guard let problem = state.problem else { continue }
      #expect(problem.message.contains("owntracks/jane/boat/stored"))
      break
    }
    #expect(bench.publisher.statistics.published == 0)
    run.cancel()
    _ = await run.result
  }

  @Test("F58 a removal does not wait for the permission to subscribe")
  func removalWithoutSubscription() async throws {
    let broker = try await RealBroker(
      RealBroker.dynamicRules, files: RealBroker.noSubscriptions)
    let storage = MemoryPublicationStorage()
    let first = try PublisherBench(broker, storage: storage)
    let run = Task { try await first.publisher.run() }
    try await first.emit(0..<1)
    while first.publisher.statistics.published < 1 { await Task.yield() }
    run.cancel()
    _ = await run.result
    let next = try PublisherBench(broker, storage: storage, options: Self.options)
    next.backend.setAuthorization(.denied)
    let error = await #expect(throws: LocationError.self) { try await next.publisher.run() }
    #expect(error?.code == .denied)
    // The broker has acknowledged the removal of the retained location.
    #expect(next.publisher.statistics.backlog.count == 0)
  }

  @Test func aServerAtAURLConfirmsNothing() async throws {
    let manager = LocationManager(backend: MockBackend(clock: ManualClock()), clock: ManualClock())
    let publisher = try LocationPublisher(
      manager, topic: OwnTracksTopic(user: "jane", device: "boat"),
      to: OwnTracksServer(url: "http://127.0.0.1:9/"), options: Self.options)
    let error = await #expect(throws: LocationError.self) { try await publisher.run() }
    #expect(error?.code == .invalidValue)
  }
}
