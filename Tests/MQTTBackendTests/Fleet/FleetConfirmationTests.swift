import AsyncLocation
import FoundationEssentials
import LocationFleet
import MockBackend
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

/// The confirmations of a fleet with a storage.
@Suite(.inTurn) struct FleetConfirmationTests {
  private static func time(_ seconds: Double) -> LocationTime { LocationTime(seconds: seconds)! }

  /// A location that requests confirmations from a time on, unless `start` is nil.
  private static func payload(at seconds: Int, from start: Int?) -> [UInt8] {
    let location = try! Location(
      latitude: 47, longitude: 8, timestamp: Date(timeIntervalSince1970: Double(seconds)))
    let message = OwnTracksMessage.location(LocationMessage(location)).json
    return start.map { ConfirmationRequest(from: time(Double($0))).added(to: message) } ?? message
  }

  /// The times in each confirmation that the broker has received for a device.
  private static func confirmations(_ broker: MockBroker, _ device: String) -> [[LocationTime]] {
    broker.received.filter { $0.topic == "owntracks/\(device)/stored" }
      .compactMap { StoredTimes($0.payload.span)?.times }
  }

  private static let start = PublisherBench.start

  @Test("F75 a location is confirmed once it is stored, and not before")
  func afterTheCommit() async throws {
    let broker = MockBroker()
    let storage = GatedStorage()
    let fleet = try await Fleet(broker: broker, storage: storage)
    _ = fleet.devices  // Connects.
    storage.set(.closed)
    var attempts = storage.attempts.makeAsyncIterator()
    broker.publish(Self.payload(at: Self.start, from: Self.start), to: "owntracks/a/a")
    await attempts.next()
    #expect(broker.received.isEmpty)
    storage.set(.open)
    try await fleet.waitUntilStored()
    while fleet.statistics.confirmations < 1 { await Task.yield() }
    #expect(Self.confirmations(broker, "a/a") == [[Self.time(Double(Self.start))]])
    await fleet.shutdown()
  }

  @Test("F75 nothing is confirmed that could not be stored, or that was not requested")
  func notStored() async throws {
    let broker = MockBroker()
    let (plain, storage) = (try Fleet(broker: broker), GatedStorage())
    let fleet = try await Fleet(broker: broker, storage: storage)
    let silent = try await Fleet(
      FleetConfiguration(confirmsLocations: false), broker: broker, storage: MemoryFleetStorage())
    _ = (plain.devices, fleet.devices, silent.devices)  // Connects.
    broker.publish(Self.payload(at: Self.start, from: nil), to: "owntracks/b/b")
    broker.publish(Self.payload(at: Self.start, from: Self.start), to: "owntracks/c/c")
    try await silent.waitUntilStored()
    while fleet.statistics.confirmations < 1 { await Task.yield() }
    storage.set(.superseded)
    broker.publish(Self.payload(at: Self.start, from: Self.start), to: "owntracks/a/a")
    await #expect(throws: LocationError.self) { try await fleet.waitUntilStored() }
    #expect(plain.statistics.delivered == 3)
    #expect(broker.received.map(\.topic) == ["owntracks/c/c/stored"])
    for fleet in [plain, fleet, silent] { await fleet.shutdown() }
  }

  @Test("F78 a fleet of a partition confirms and commands under the devices' own topics")
  func partition() async throws {
    let broker = MockBroker()
    let fleet = try await Fleet(
      FleetConfiguration(partition: FleetConfiguration.Partition(3)), broker: broker,
      storage: MemoryFleetStorage())
    _ = fleet.devices  // Connects.
    let payload = Self.payload(at: Self.start, from: Self.start)
    for topic in ["fleet/2/a/a", "owntracks/a/a", "fleet/3/b/b"] {
      broker.publish(payload, to: topic)
    }
    try await fleet.waitUntilStored()
    while fleet.statistics.confirmations < 1 { await Task.yield() }
    let device = try FleetDevice.ID(user: "b", device: "b")
    try await fleet.send(CommandMessage(.reportLocation), to: device)
    #expect(broker.received.map(\.topic) == ["owntracks/b/b/stored", "owntracks/b/b/cmd"])
    #expect(fleet.devices.map(\.id) == [device])
    await fleet.shutdown()
  }

  @Test("F75 a commit with a location to be confirmed survives a loss of power")
  func throughToDisk() async throws {
    let broker = MockBroker()
    let storage = GatedStorage()
    let fleet = try await Fleet(broker: broker, storage: storage)
    _ = fleet.devices
    broker.publish(Self.payload(at: Self.start, from: nil), to: "owntracks/b/b")
    try await fleet.waitUntilStored()
    broker.publish(Self.payload(at: Self.start, from: Self.start), to: "owntracks/a/a")
    try await fleet.waitUntilStored()
    #expect(storage.commits.map { $0.contains(.synchronize) } == [false, true])
    await fleet.shutdown()
  }

  /// Without a refusal, the location would be sent again forever.
  @Test func aLocationInTheFutureIsRefused() async throws {
    let broker = MockBroker()
    let fleet = try await Fleet(broker: broker, storage: MemoryFleetStorage())
    _ = fleet.devices
    broker.publish(Self.payload(at: 4_000_000_000, from: Self.start), to: "owntracks/a/a")
    while fleet.statistics.confirmations < 1 { await Task.yield() }
    let message = try #require(broker.received.first)
    #expect(StoredTimes(message.payload.span)?.refused == [Self.time(4_000_000_000)])
    #expect(StoredTimes(message.payload.span)?.times == [])
    await fleet.shutdown()
  }

  @Test("F77 a storage that was lost confirms nothing of before")
  func lostStorage() async throws {
    let broker = MockBroker()
    let storage = GatedStorage()
    let fleet = try await Fleet(broker: broker, storage: storage)
    _ = fleet.devices
    broker.publish(Self.payload(at: Self.start, from: Self.start), to: "owntracks/a/a")
    while fleet.statistics.confirmations < 1 { await Task.yield() }
    storage.lose()
    storage.set(.broken)
    var attempts = storage.attempts.makeAsyncIterator()
    broker.publish(Self.payload(at: Self.start + 1, from: Self.start), to: "owntracks/a/a")
    await attempts.next()
    storage.set(.open)
    while fleet.statistics.confirmations < 2 { await Task.yield() }
    let stored = broker.received.compactMap { StoredTimes($0.payload.span) }
    #expect(stored.last?.times == [Self.time(Double(Self.start + 1))])
    #expect(stored.first?.server != stored.last?.server, "the devices send the rest again")
    await fleet.shutdown()
  }

  @Test("a location that is sent again, or late, is confirmed again, and stored once")
  func repeated() async throws {
    let broker = MockBroker()
    let fleet = try await Fleet(broker: broker, storage: MemoryFleetStorage())
    _ = fleet.devices
    for (count, (seconds, from)) in [(2, 2), (2, 2), (1, 1), (3, 3), (3, 3)].enumerated() {
      broker.publish(
        Self.payload(at: Self.start + seconds, from: Self.start + from), to: "owntracks/a/a")
      try await fleet.waitUntilStored()
      while fleet.statistics.confirmations <= count { await Task.yield() }
    }
    let expected = [[2], [2], [2, 1], [3], [3]].map {
      $0.map { Self.time(Double(Self.start + $0)) }
    }
    #expect(Self.confirmations(broker, "a/a") == expected)
    let history = try #require(fleet.history)
    let track = history.track(of: id("a/a"), from: .distantPast, to: .distantFuture)
    #expect(try await track.locations.count == 3)
    await fleet.shutdown()
  }

  @Test func aDeviceLearnsOfEachStartFromItsRetainedLocation() async throws {
    let broker = MockBroker()
    let storage = MemoryFleetStorage()
    broker.publish(
      Self.payload(at: Self.start, from: Self.start), to: "owntracks/a/a", isRetained: true)
    for start in 1...2 {
      let fleet = try await Fleet(broker: broker, storage: storage)
      _ = fleet.devices
      while broker.received.count < start { await Task.yield() }
      await fleet.shutdown()
    }
    let confirmations = broker.received.compactMap { StoredTimes($0.payload.span) }
    #expect(
      confirmations.map(\.times) == [[Self.time(Double(Self.start))]] + [
        [Self.time(Double(Self.start))]
      ])
    #expect(Set(confirmations.map(\.server)).count == 2)
  }

  @Test("F82 the confirmations of a device that is forgotten are removed from the broker")
  func erased() async throws {
    let broker = MockBroker()
    let fleet = try await Fleet(broker: broker, storage: MemoryFleetStorage())
    _ = fleet.devices
    broker.publish(Self.payload(at: Self.start, from: Self.start), to: "owntracks/a/a")
    while fleet.statistics.confirmations < 1 { await Task.yield() }
    fleet.forget(id("a/a"))
    try await fleet.waitUntilStored()
    while broker.received.last?.payload != [] { await Task.yield() }
    #expect(broker.received.last?.topic == "owntracks/a/a/stored")
    await fleet.shutdown()
  }

  @Test func aConfirmationWaitsForAConnection() async throws {
    let broker = MockBroker()
    let storage = GatedStorage()
    let fleet = try await Fleet(broker: broker, storage: storage)
    _ = fleet.devices
    storage.set(.closed)
    for second in 0..<3 {
      broker.publish(
        Self.payload(at: Self.start + second, from: Self.start), to: "owntracks/a/a")
    }
    broker.disconnect()
    storage.set(.open)
    try await fleet.waitUntilStored()
    #expect(broker.received.isEmpty)
    broker.connect()
    while fleet.statistics.confirmations < 1 { await Task.yield() }
    #expect(Self.confirmations(broker, "a/a").last?.count == 3)
    await fleet.shutdown()
  }

  // MARK: The connection

  /// The broker ends each connection instead of acknowledging a confirmation.
  @Test func aBrokerThatEndsTheConnectionGetsNoFurtherConfirmations() {
    let publications = FleetPublications(FleetConfiguration()) { _ in
      StoredTimes(from: Self.time(1), [Self.time(1)])
    }
    let limit = FleetPublications.maximumBrokenConnections
    for connection in 1...(limit + 2) {
      let channel = SilentChannel()
      publications.connected(channel)
      #expect(channel.topics.isEmpty, "what was in flight is not published again")
      publications.confirm([id("a/a")])
      #expect(channel.topics == (connection > limit ? [] : ["owntracks/a/a/stored"]))
      publications.disconnected()
    }
    #expect(publications.confirmationCounts.refused == UInt64(limit) + 2)
  }

  @Test("confirmations that wait when a broker is given up are refused, too")
  func waitingConfirmationsOfAGivenUpBroker() {
    let publications = FleetPublications(FleetConfiguration()) { _ in
      StoredTimes(from: Self.time(1), [Self.time(1)])
    }
    let devices = (0..<FleetPublications.window + 5).map { id("a/\($0)") }
    for _ in 0..<FleetPublications.maximumBrokenConnections {
      publications.confirm(devices)
      let channel = SilentChannel()
      publications.connected(channel)
      #expect(channel.topics.count == FleetPublications.window)
      publications.disconnected()
    }
    let channel = SilentChannel()
    publications.connected(channel)
    #expect(channel.topics.isEmpty)
  }

  private final class SilentChannel: BrokerChannel {
    let limits = BrokerLimits()
    private(set) var topics: [String] = []
    var submit: @Sendable (@escaping @Sendable () -> Void) -> Void { { $0() } }

    func publish(_ payload: [UInt8], to topic: String, retained: Bool) -> PublicationOutcome {
      topics.append(topic)
      return .sent(PublicationID(rawValue: Int32(topics.count)))
    }

    func drop(reconnects: Bool) {}
  }

  // MARK: The table

  private static func stored(_ seconds: Int, _ device: String = "a/a") -> FleetStorageChange {
    .location(
      id(device),
      try! Location(
        latitude: 1, longitude: 2, timestamp: Date(timeIntervalSince1970: Double(seconds))),
      isLast: true)
  }

  @Test func aDeviceHasTheTimesFromItsStartOn() {
    var confirmations = FleetConfirmations(server: "s")
    #expect(confirmations.stored([Self.stored(1)]).changed == [])
    confirmations.requested(by: id("a/a"), from: Self.time(2))
    #expect(confirmations.stored([2, 3, 2].map { Self.stored($0) }).changed == [id("a/a")])
    #expect(confirmations[id("a/a")]?.times == [2, 3].map(Self.time))
    confirmations.requested(by: id("a/a"), from: Self.time(3))
    #expect(confirmations.stored([Self.stored(4), Self.stored(4, "b/b")]).changed == [id("a/a")])
    #expect(
      confirmations[id("a/a")] == StoredTimes(from: Self.time(3), [3, 4].map(Self.time), by: "s"))
    #expect(confirmations[id("b/b")] == nil)
    #expect(confirmations.stored([.forget(id("a/a"))]).erased == [])
    confirmations.forget(id("a/a"))
    #expect(confirmations[id("a/a")] == nil)
  }

  @Test("what a device requests after it was forgotten is confirmed", arguments: [false, true])
  func requestsAfterwards(_ isErased: Bool) {
    var confirmations = FleetConfirmations()
    confirmations.requested(by: id("a/a"), from: Self.time(1))
    confirmations.forget(id("a/a"))
    confirmations.requested(by: id("a/a"), from: Self.time(2))
    let forgotten: FleetStorageChange = isErased ? .erase(id("a/a")) : .forget(id("a/a"))
    let stored = confirmations.stored([forgotten, Self.stored(2)])
    #expect(stored.changed == [id("a/a")])
    #expect(stored.erased == (isErased ? [id("a/a")] : []))
    #expect(confirmations[id("a/a")]?.times == [Self.time(2)])
  }

  @Test("the first location of a device that returns after the silence is confirmed")
  func confirmsADeviceThatReturns() async throws {
    let limits = FleetLimits(silence: .seconds(60))
    let test = try await TestFleet(limits: limits, storage: MemoryFleetStorage())
    test.hub.receive("a/a", "1 47 0")
    test.hub.flush()
    try await test.fleet.waitUntilStored()
    test.clock.advance(by: .seconds(61))
    test.hub.receive("a/a", "100 47 1")
    test.hub.flush()
    try await test.fleet.waitUntilStored()
    let times = test.hub.decide { state, _ in state.storing.confirmations[id("a/a")]?.times }
    #expect(times == [LocationTime(Date(timeIntervalSinceReferenceDate: 100))])
    await test.fleet.shutdown()
  }

  @Test("F82 a removal is published until the broker has acknowledged it")
  func removesUntilAcknowledged() {
    let publications = FleetPublications(FleetConfiguration()) { _ in nil }
    publications.confirm([], removing: [id("a/a")])
    for _ in 0..<3 {
      let channel = SilentChannel()
      publications.connected(channel)
      #expect(channel.topics == ["owntracks/a/a/stored"])
      publications.disconnected()
    }
    let channel = SilentChannel()
    publications.connected(channel)
    publications.acknowledged(PublicationID(rawValue: 1), refusal: nil)
    publications.disconnected()
    let last = SilentChannel()
    publications.connected(last)
    #expect(last.topics.isEmpty)
  }

  @Test func theTimesAreLimited() {
    var confirmations = FleetConfirmations(limit: 1_500)
    for device in ["a/a", "b/b"] { confirmations.requested(by: id(device), from: Self.time(1)) }
    let count = StoredTimes.limit
    _ = confirmations.stored((0..<count + 10).map { Self.stored($0) })
    #expect(confirmations[id("a/a")]?.times.count == count)
    #expect(confirmations[id("a/a")]?.times.first == Self.time(10), "the newest remain")
    _ = confirmations.stored((0..<count).map { Self.stored($0, "b/b") })
    let counts = ["a/a", "b/b"].map { confirmations[id($0)]?.times.count ?? 0 }
    #expect(counts == [0, count - (1_500 - count)], "beyond the limit all are discarded")
  }
}
