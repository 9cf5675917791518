import AsyncLocation
import FoundationEssentials
import LocationStorage
import MockBackend
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

/// F58: the messages that a broker retains are removed, whichever run requests their removal.
@Suite(.inTurn) struct KeptTopicTests {
  private let storage = MemoryPublicationStorage()

  /// Publishes a location, and ends the run by a denial or by a cancellation.
  private func publish(
    _ second: Int, from device: String = "boat", over channel: WorkingChannel,
    deniedAfterwards: Bool
  ) async throws {
    // System clock: the mock has no script that waits.
    let backend = MockBackend(clock: ContinuousClock())
    let publisher = LocationPublisher(
      LocationManager(backend: backend, clock: ManualClock()),
      topic: try OwnTracksTopic(user: "jane", device: device), over: channel, storage: storage,
      options: PublisherOptions(), clock: ManualClock())
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    try backend.emit([.location(try PublisherBench.location(second))])
    while publisher.statistics.published < 1 { await Task.yield() }
    if deniedAfterwards { backend.setAuthorization(.denied) } else { run.cancel() }
    _ = await run.result
  }

  /// Opens the storage, and returns its content.
  private func stored() async throws -> StoredPublications {
    let (session, stored) = try await storage.open(PublicationLimits())
    await session.close()
    return stored
  }

  /// Stores a removal, as a denial does while the broker is unavailable.
  private func leaveRemoval() async throws {
    let (session, _) = try await storage.open(PublicationLimits())
    let removal = PendingPublication(
      topic: "owntracks/jane/boat", payload: [], isRetained: true, date: Date())
    _ = try await session.removeAll(then: [removal])
    await session.close()
  }

  /// Strings that are canonically equivalent are two topics.
  @Test func theLocationOfEachSpellingIsRemoved() async throws {
    let names = ["caf\u{E9}", "cafe\u{301}"]
    let channels = [WorkingChannel(), WorkingChannel()]
    try await publish(0, from: names[0], over: channels[0], deniedAfterwards: false)
    try await publish(1, from: names[1], over: channels[1], deniedAfterwards: true)
    let removed = channels[1].received.withLock {
      $0.filter(\.payload.isEmpty).map { Array($0.topic.utf8) }
    }
    for name in names { #expect(removed.contains(Array("owntracks/jane/\(name)".utf8))) }
  }

  @Test func aRunToAServerForgetsNoTopicOfABroker() async throws {
    try await publish(0, over: WorkingChannel(), deniedAfterwards: false)
    let server = WorkingChannel(keepsRetained: false)
    try await publish(1, over: server, deniedAfterwards: true)
    #expect(server.received.withLock { $0.allSatisfy { !$0.isRetained } })
    #expect(try await stored().retainedTopics == ["owntracks/jane/boat"])
    let broker = WorkingChannel()
    try await publish(2, over: broker, deniedAfterwards: false)
    #expect(broker.received.withLock { $0.map(\.payload.isEmpty) } == [true, false])
    #expect(try await stored().backlog.count == 0)
  }

  /// A server retains nothing, so a removal is not sent to it.
  @Test func aRemovalWaitsForTheBroker() async throws {
    try await leaveRemoval()
    let server = WorkingChannel(keepsRetained: false)
    try await publish(0, over: server, deniedAfterwards: false)
    #expect(server.seconds == [0])
    #expect(server.received.withLock(\.count) == 1)
    #expect(try await stored().backlog.count == 1)
  }

  /// A run to a server ends although a removal waits for the broker.
  @Test func aRunToAServerEndsBesideARemoval() async throws {
    try await leaveRemoval()
    // System clock: the mock has no script that waits.
    let backend = MockBackend(clock: ContinuousClock())
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let server = WorkingChannel(keepsRetained: false)
    let publisher = LocationPublisher(
      manager, topic: try OwnTracksTopic(user: "jane", device: "boat"), over: server,
      storage: storage, options: PublisherOptions(), clock: ManualClock())
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    try backend.emit([.location(try PublisherBench.location(0))])
    await manager.shutdown()
    try await run.value
    #expect(server.seconds == [0])
    #expect(publisher.statistics.backlog.count == 1)
  }

  /// A removal that waits for the broker does not displace a location, and is not deleted again.
  @Test(arguments: [PublicationLimits(count: 1), PublicationLimits(bytes: 200)])
  func aRemovalTakesNoPlaceOfALocation(_ limits: PublicationLimits) async throws {
    try await leaveRemoval()
    // System clock: the mock has no script that waits.
    let backend = MockBackend(clock: ContinuousClock())
    let server = WorkingChannel(keepsRetained: false)
    let publisher = LocationPublisher(
      LocationManager(backend: backend, clock: ManualClock()),
      topic: try OwnTracksTopic(user: "jane", device: "boat"), over: server, storage: storage,
      options: PublisherOptions(limits: limits), clock: ManualClock())
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    try backend.emit([.location(try PublisherBench.location(0))])
    while publisher.statistics.published < 1 || publisher.statistics.backlog.count > 1 {
      await Task.yield()
    }
    #expect(publisher.statistics.dropped.total == 0)
    backend.setAuthorization(.denied)
    _ = await run.result
    #expect(publisher.statistics.deleted == 0)
    #expect(try await stored().backlog.count == 1)
  }

  /// The files are as after `kill -9`: the mark is written, and the file still exists.
  @Test("F65 a removal outlasts a process that is killed while deleting")
  func aRemovalOutlastsTheProcess() async throws {
    let folder = try TestFolder()
    let file = folder.path + "/publications.sqlite"
    let storage = SQLitePublicationStorage(file: file)
    do {
      let (session, _) = try await storage.open(PublicationLimits())
      _ = try await session.append(
        [
          PendingPublication(
            topic: "owntracks/jane/tender", payload: [1], isRetained: true, date: Date())
        ], accuracy: .full)
      await session.close()
    }
    let mark = "async-location deletion, last number 1\nowntracks/jane/tender"
    _ = try folder.write(Array(mark.utf8), to: "publications.sqlite.delete")
    // System clock: the mock has no script that waits.
    let (backend, channel) = (MockBackend(clock: ContinuousClock()), WorkingChannel())
    let publisher = LocationPublisher(
      LocationManager(backend: backend, clock: ManualClock()),
      topic: try OwnTracksTopic(user: "jane", device: "boat"), over: channel, storage: storage,
      options: PublisherOptions(), clock: ManualClock())
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    try backend.emit([.location(try PublisherBench.location(0))])
    while channel.seconds.isEmpty { await Task.yield() }
    run.cancel()
    _ = await run.result
    let received = channel.received.withLock(\.self)
    #expect(received.map(\.topic) == ["owntracks/jane/tender", "owntracks/jane/boat"])
    #expect(received.first?.isRemoval == true)
  }
}
