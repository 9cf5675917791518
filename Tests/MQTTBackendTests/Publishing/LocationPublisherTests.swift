import AsyncLocation
import Glibc
import LocationStorage
import MockBackend
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

/// Publishing to a real broker.
@Suite(.needsBroker, .inTurn)
struct LocationPublisherTests {
  @Test func anotherClientReadsTheLocations() async throws {
    let broker = try await RealBroker()
    let subscriber = try await ForeignSubscriber(to: "owntracks/#", of: broker)
    let bench = try PublisherBench(broker, options: PublisherOptions(trackerID: "jb"))
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<3)
    let messages = await subscriber.messages(3)
    #expect(messages.map(\.topic) == Array(repeating: "owntracks/jane/boat", count: 3))
    #expect(messages.map(\.seconds) == [0, 1, 2])
    #expect(
      messages.first?.payload
        == #"{"_type":"location","lat":60.0,"lon":24.5,"tst":1777863600,"acc":5,"tid":"jb"}"#)
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.value }
  }

  /// The connection of a stationary ship breaks, and the broker publishes the last will.
  @Test func reconnectedDeviceIsOnline() async throws {
    let broker = try await RealBroker()
    let relay = Relay(to: broker.port)
    let fleet = try Fleet(FleetConfiguration(.local(broker)))
    var changes = fleet.changes.makeAsyncIterator()
    await FleetBrokerTests.waitUntilConnected(fleet)
    let bench = try PublisherBench(broker) { $0.port = relay.port }
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<1)
    let boat = try #require(FleetDevice.ID("jane/boat"))
    #expect(try await changes.next() == .added(boat))
    #expect(try await changes.next() == .online(boat))
    while bench.publisher.statistics.published < 1 { await Task.yield() }
    relay.breakAll()
    #expect(try await changes.next() == .offline(boat))
    #expect(try await changes.next() == .online(boat))
    #expect(fleet.statistics.delivered == 1)
    run.cancel()
    _ = await run.result
    await fleet.shutdown()
  }

  /// A location is being stored when the connection is restored. This location announces that the
  /// device is back, so no earlier location is published again after it.
  @Test func aReturnIsNotAnnouncedBehindANewerLocation() async throws {
    let broker = try await RealBroker()
    let subscriber = try await ForeignSubscriber(to: "owntracks/#", of: broker)
    let (gate, opening) = AsyncStream<Void>.makeStream()
    let (begun, beginning) = AsyncStream<Void>.makeStream()
    let appends = Locked(0)
    let storage = HookedStorage(beforeAppend: { () throws(LocationError) in
      let number = appends.withLock { count in
        count += 1
        return count
      }
      guard number == 2 else { return }
      beginning.finish()
      for await _ in gate {}
    })
    let bench = try PublisherBench(broker, storage: storage)
    let publisher = bench.publisher
    async let connected = publisher.connectionStates.first { $0.phase == .connected }
    let run = Task { try await publisher.run() }
    try await bench.emit(0..<1)
    while publisher.statistics.published < 1 { await Task.yield() }
    try await bench.emit(1..<2)
    for await _ in begun {}
    let state = try #require(await connected)
    let asked = Locked(0)
    let states = AsyncStream {
      asked.withLock { count -> ConnectionState? in
        count += 1
        return count <= 2 ? state : nil
      }
    }
    let announcing = Task { try await publisher.current.announceReturns(states) }
    while asked.withLock(\.self) < 2 { await Task.yield() }
    // Gives the announcement time to begin its wait for the storage.
    for _ in 0..<1_000 { await Task.yield() }
    opening.finish()
    try await announcing.value
    try await bench.emit(2..<3)
    var seconds: [Int] = []
    while seconds.last != 2 {
      if let second = await subscriber.messages(1).first?.seconds { seconds.append(second) }
    }
    // A location may be published again, but none after a later one.
    #expect(seconds == seconds.sorted())
    #expect(Set(seconds) == [0, 1, 2])
    run.cancel()
    _ = await run.result
  }

  /// A message that the broker refuses waits, without an effect on the device's presence.
  @Test func reconnectedDeviceIsOnlineWhileACardWaits() async throws {
    let broker = try await RealBroker(
      ["allow_anonymous true", "acl_file $FOLDER/rules"],
      files: ["rules": "topic read #\ntopic write owntracks/jane/boat\n"])
    let relay = Relay(to: broker.port)
    let fleet = try Fleet(FleetConfiguration(.local(broker)))
    var changes = fleet.changes.makeAsyncIterator()
    await FleetBrokerTests.waitUntilConnected(fleet)
    let bench = try PublisherBench(broker, clock: ManualClock()) { $0.port = relay.port }
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<1)
    let boat = try #require(FleetDevice.ID("jane/boat"))
    #expect(try await changes.next() == .added(boat))
    #expect(try await changes.next() == .online(boat))
    try await bench.publisher.publish(.card(CardMessage(name: "Jane")))
    while bench.publisher.statistics.problem?.code != .denied { await Task.yield() }
    relay.breakAll()
    #expect(try await changes.next() == .offline(boat))
    #expect(try await changes.next() == .online(boat))
    #expect(fleet.statistics.delivered == 1)
    run.cancel()
    _ = await run.result
    await fleet.shutdown()
  }

  /// A device restarts after a loss of power. The broker does not know that its connection has
  /// ended, and publishes the last will late.
  @Test func restartedDeviceStaysOnline() async throws {
    let broker = try await RealBroker()
    let relay = Relay(to: broker.port)
    let fleet = try Fleet(FleetConfiguration(.local(broker)))
    var changes = fleet.changes.makeAsyncIterator()
    await FleetBrokerTests.waitUntilConnected(fleet)
    let (earlier, bench) = (try PublisherBench(broker), try PublisherBench(broker))
    let will = earlier.publisher.current.willMessage
    let identifier = try #require(earlier.publisher.current.channel as? BrokerPublications)
      .identifier
    var configuration = MQTTConfiguration.local(port: relay.port)
    configuration.reconnection = .never
    let recorder = RecordingHandler()
    let events = recorder.events
    let connection = try BrokerRun(
      configuration, BrokerRun.Role(will: { will }), identifier: identifier, handler: recorder)
    let earlierRun = Task { try await connection.run() }
    for await event in events {
      if case .connected = event { break }
    }
    relay.set(dark: true)

    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<1)
    let boat = try #require(FleetDevice.ID("jane/boat"))
    let car = try #require(FleetDevice.ID("jane/car"))
    #expect(try await changes.next() == .added(boat))
    #expect(try await changes.next() == .offline(boat))
    #expect(try await changes.next() == .online(boat))
    relay.breakAll()
    _ = await earlierRun.result
    try await RawPublisher(to: broker.port).publish([.location(0, of: "jane/car")])
    #expect(try await changes.next() == .added(car))
    #expect(fleet.device(boat)?.presence == .online)
    run.cancel()
    _ = await run.result
    await fleet.shutdown()
  }

  @Test func identifierDependsOnTopicAndHost() throws {
    let boat = try OwnTracksTopic(user: "jane", device: "boat")
    let identifier = PublisherIdentifier.make(for: boat, host: "pi")
    #expect(identifier == PublisherIdentifier.make(for: boat.with(kind: .event), host: "pi"))
    #expect(identifier != PublisherIdentifier.make(for: boat, host: "nas"))
    let car = try OwnTracksTopic(user: "jane", device: "car")
    #expect(identifier != PublisherIdentifier.make(for: car, host: "pi"))
    #expect((9...23).contains(identifier.utf8.count))
    #expect(identifier.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
    var broker = MQTTConfiguration()
    #expect(BrokerPublications(broker, identifier: identifier).identifier == identifier)
    broker.clientIdentifier = "boat"
    #expect(BrokerPublications(broker, identifier: identifier).identifier == "boat")
  }

  @Test func endsWhenAllIsDelivered() async throws {
    let broker = try await RealBroker()
    let bench = try PublisherBench(broker)
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<500)
    try bench.backend.end()
    try await run.value
    let statistics = bench.publisher.statistics
    #expect(statistics.published == 500)
    #expect(statistics.backlog == PublicationBacklog())
  }

  @Test func thePresenceEndsWithTheRun() async throws {
    let broker = try await RealBroker()
    let subscriber = try await ForeignSubscriber(to: "owntracks/#", of: broker)
    let bench = try PublisherBench(broker)
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<1)
    _ = await subscriber.messages(1)
    run.cancel()
    let will = await subscriber.messages(1)
    #expect(will.first?.payload.contains(#""_type":"lwt""#) == true)
    #expect(will.first?.topic == "owntracks/jane/boat")
    _ = await run.result
  }

  @Test func nextPublisherSendsStoredPublications() async throws {
    let broker = try await RealBroker()
    let file = broker.folder + "/state/publications.sqlite"
    await broker.stop()
    do {
      let bench = try PublisherBench(broker, storage: SQLitePublicationStorage(file: file))
      let run = Task { try await bench.publisher.run() }
      try await bench.emit(0..<100)
      while bench.publisher.statistics.stored < 100 { await Task.yield() }
      run.cancel()
      _ = await run.result
    }
    try await broker.start()
    let subscriber = try await ForeignSubscriber(to: "owntracks/#", of: broker)
    let bench = try PublisherBench(broker, storage: SQLitePublicationStorage(file: file))
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(100..<101)
    #expect(await subscriber.messages(101).map(\.seconds) == Array(0...100))
    run.cancel()
    _ = await run.result
  }

  @Test func otherMessagesArePublishedToo() async throws {
    let broker = try await RealBroker()
    let subscriber = try await ForeignSubscriber(to: "owntracks/jane/boat/+", of: broker)
    let bench = try PublisherBench(broker)
    let run = Task { try await bench.publisher.run() }
    await bench.backend.waitUntilRunning()
    let card = OwnTracksMessage.card(CardMessage(name: "Jane"))
    while true {
      do throws(LocationError) {
        try await bench.publisher.publish(card)
        break
      } catch {
        // The publisher has not opened its storage yet.
        await Task.yield()
      }
    }
    #expect(await subscriber.messages(1).first?.topic == "owntracks/jane/boat/info")
    run.cancel()
    _ = await run.result
  }
}
