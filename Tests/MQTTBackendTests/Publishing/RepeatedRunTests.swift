import AsyncLocation
import FoundationEssentials
import MockBackend
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

/// A publisher that is run again.
@Suite(.inTurn) struct RepeatedRunTests {
  // System clock: the mock has no script that waits.
  let backend = MockBackend(clock: ContinuousClock())
  private let clock = ManualClock()
  let manager: LocationManager

  init() { manager = LocationManager(backend: backend, clock: ManualClock()) }

  func publisher(
    _ channel: WorkingChannel, _ storage: any PublicationStorage = MemoryPublicationStorage()
  ) throws -> LocationPublisher {
    LocationPublisher(
      manager, topic: try OwnTracksTopic(user: "jane", device: "boat"), over: channel,
      storage: storage, options: PublisherOptions(), clock: clock)
  }

  /// Starts a publisher and waits until it has stored a location. Returns the task of its run.
  func start(
    _ publisher: LocationPublisher, storing second: Int
  ) async throws -> Task<Void, any Error> {
    let stored = publisher.statistics.stored
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    try backend.emit([.location(try PublisherBench.location(second))])
    while publisher.statistics.stored == stored { await Task.yield() }
    return run
  }

  /// An event of the condition `harbour`.
  static func event(_ from: Monitor.State, _ to: Monitor.State) -> Monitor.Event {
    Monitor.Event(
      identifier: "harbour", number: 1, state: to, previousState: from,
      date: PublisherBench.startDate)
  }

  func cancel(_ run: Task<Void, any Error>) async {
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.value }
    await backend.waitUntilIdle()
  }

  /// Withdraws permission, waits for the end of a run, and grants permission again.
  private func revokeAndGrant(_ run: Task<Void, any Error>) async {
    backend.setAuthorization(.denied)
    let error = await #expect(throws: LocationError.self) { try await run.value }
    #expect(error?.code == .denied)
    await backend.waitUntilIdle()
    await grant()
  }

  func withdraw() async {
    backend.setAuthorization(.denied)
    for await authorization in manager.authorizationUpdates where !authorization.isAuthorized {
      break
    }
  }

  func grant() async {
    backend.setAuthorization(AuthorizationDecision(.always))
    for await authorization in manager.authorizationUpdates where authorization.isAuthorized {
      return
    }
  }

  @Test func publishesAgainAfterARevocation() async throws {
    let channel = WorkingChannel()
    let publisher = try publisher(channel)
    for second in 0..<3 {
      let run = try await start(publisher, storing: second)
      while channel.seconds.last != second { await Task.yield() }
      await revokeAndGrant(run)
    }
    #expect(channel.seconds == [0, 1, 2])
    // Each retained location was removed before the next one was published.
    #expect(
      channel.received.withLock { $0.map(\.isRemoval) } == [false, true, false, true, false, true])
    #expect(publisher.statistics.stored == 3)
    #expect(publisher.statistics.published == 3)
    #expect(publisher.statistics.backlog.count == 0)
  }

  @Test func oneRunAtATime() async throws {
    let channel = WorkingChannel()
    let publisher = try publisher(channel)
    let run = try await start(publisher, storing: 0)
    for _ in 0..<2 {
      let error = await #expect(throws: LocationError.self) { try await publisher.run() }
      #expect(error?.code == .invalidValue)
      #expect(error?.message.contains("runs already") == true)
    }
    // The refused calls do not disturb the run.
    try backend.emit([.location(try PublisherBench.location(1))])
    while channel.seconds != [0, 1] { await Task.yield() }
    await cancel(run)
  }

  @Test func aRunAfterACancellationSendsWhatWaits() async throws {
    let channel = WorkingChannel(isOpen: false)
    let publisher = try publisher(channel)
    await cancel(try await start(publisher, storing: 0))
    #expect(channel.seconds == [])
    channel.open()
    let run = try await start(publisher, storing: 1)
    while channel.seconds != [0, 1] { await Task.yield() }
    while publisher.statistics.published < 2 { await Task.yield() }
    #expect(publisher.statistics.stored == 2)
    #expect(publisher.statistics.deleted == 0)
    await cancel(run)
  }

  @Test("F58 what a run deletes is not sent by the next one")
  func deletedLocationsStayDeleted() async throws {
    let channel = WorkingChannel(isOpen: false)
    let publisher = try publisher(channel)
    await revokeAndGrant(try await start(publisher, storing: 7))
    channel.open()
    let run = try await start(publisher, storing: 8)
    while channel.seconds.last != 8 { await Task.yield() }
    await cancel(run)
    #expect(channel.seconds == [8])
    #expect(publisher.statistics.deleted == 1)
  }

  @Test("F58 what a run could not delete is deleted by the next one")
  func failedDeletionIsRepeated() async throws {
    let channel = WorkingChannel(isOpen: false)
    let fails = Locked(true)
    let storage = HookedStorage(beforeRemoval: { () throws(LocationError) in
      if fails.withLock(\.self) { throw LocationError(.storageUnavailable, "read-only") }
    })
    let publisher = try publisher(channel, storage)
    let run = try await start(publisher, storing: 7)
    backend.setAuthorization(.denied)
    await clock.waitForSleepers()  // The deletion failed.
    run.cancel()
    _ = await run.result
    await backend.waitUntilIdle()
    fails.withLock { $0 = false }
    await grant()
    channel.open()
    let next = try await start(publisher, storing: 8)
    while channel.seconds.last != 8 { await Task.yield() }
    await cancel(next)
    #expect(channel.seconds == [8])
    #expect(publisher.statistics.deleted == 1)
  }

  /// A message waits for the storage when permission is withdrawn. Permission is then granted
  /// again.
  @Test("F58 a message of an earlier run is not stored by the next one")
  func messageOfAnEarlierRun() async throws {
    let channel = WorkingChannel()
    let (gate, isGated) = (MockGate(), Locked(false))
    let storage = HookedStorage(beforeAppend: { () throws(LocationError) in
      guard isGated.withLock({ $0 }) else { return }
      await gate.wait()
    })
    let publisher = try publisher(channel, storage)
    let run = try await start(publisher, storing: 0)
    while channel.seconds != [0] { await Task.yield() }
    isGated.withLock { $0 = true }
    let message = Task.immediate {
      try await publisher.publish(.location(LocationMessage(try PublisherBench.location(7))))
    }
    await withdraw()
    isGated.withLock { $0 = false }
    gate.open()
    _ = await run.result
    _ = await message.result
    await backend.waitUntilIdle()
    await grant()
    let next = try await start(publisher, storing: 8)
    while channel.seconds.last != 8 { await Task.yield() }
    await cancel(next)
    #expect(channel.seconds == [0, 8])
  }

  @Test func nothingIsPublishedBetweenRuns() async throws {
    let publisher = try publisher(WorkingChannel())
    let card = OwnTracksMessage.card(CardMessage(name: "Jane"))
    for round in 0..<2 {
      let error = await #expect(throws: LocationError.self) { try await publisher.publish(card) }
      #expect(error?.code == .shutDown)
      let run = try await start(publisher, storing: round)
      try await publisher.publish(card)
      await revokeAndGrant(run)
    }
    let error = await #expect(throws: LocationError.self) { try await publisher.publish(card) }
    #expect(error?.code == .shutDown)
  }

  /// Monitoring was suspended while permission was withdrawn, and the device left meanwhile.
  @Test func anExitFollowsAnEntryOfAnEarlierRun() async throws {
    let channel = WorkingChannel()
    let publisher = try publisher(channel)
    let run = try await start(publisher, storing: 0)
    #expect(try await publisher.publish(Self.event(.unsatisfied, .satisfied)))
    while publisher.statistics.published < 2 { await Task.yield() }
    await revokeAndGrant(run)
    let next = try await start(publisher, storing: 1)
    #expect(try await publisher.publish(Self.event(.unmonitored, .unsatisfied)))
    await cancel(next)
    // The exit is published only once.
    let last = try await start(publisher, storing: 2)
    #expect(try await !publisher.publish(Self.event(.unmonitored, .unsatisfied)))
    await cancel(last)
  }

  /// The exit of an entry that a later withdrawal deletes would reveal where the device was.
  @Test("F58 an entry that a later run deletes has no exit")
  func anEntryOfAnEarlierRunIsDeleted() async throws {
    let publisher = try publisher(WorkingChannel(isOpen: false))
    let run = try await start(publisher, storing: 0)
    #expect(try await publisher.publish(Self.event(.unsatisfied, .satisfied)))
    await cancel(run)
    backend.setAuthorization(.denied)
    await #expect(throws: LocationError.self) { try await publisher.run() }
    await grant()
    let next = try await start(publisher, storing: 1)
    #expect(try await !publisher.publish(Self.event(.unmonitored, .unsatisfied)))
    await cancel(next)
  }

  @Test func aStatusIsPublishedByEachRun() async throws {
    let channel = WorkingChannel()
    let publisher = LocationPublisher(
      manager, topic: try OwnTracksTopic(user: "jane", device: "boat"), over: channel,
      storage: MemoryPublicationStorage(), options: PublisherOptions(publishesStatus: true),
      clock: clock)
    for second in 0..<2 {
      let run = try await start(publisher, storing: second)
      try backend.emit(.connection(ConnectionState(.connected)))
      while channel.received.withLock({ $0.count { $0.topic.hasSuffix("/status") } }) <= second {
        await Task.yield()
      }
      await revokeAndGrant(run)
    }
  }

  /// The storage is in use at the first run, and free at the second.
  @Test func aRunThatFailsAtOnceEnds() async throws {
    let storage = MemoryPublicationStorage()
    let (otherSession, _) = try await storage.open(PublicationLimits())
    let publisher = try publisher(WorkingChannel(), storage)
    let error = await #expect(throws: LocationError.self) { try await publisher.run() }
    #expect(error?.code == .storageUnavailable)
    await otherSession.close()
    await cancel(try await start(publisher, storing: 0))
  }
}

/// A publisher to a real broker that is run again.
@Suite(.needsBroker, .inTurn) struct RepeatedBrokerRunTests {
  @Test("F58 the broker gets nothing that was deleted, and the states of each run")
  func revokedAndGranted() async throws {
    let broker = try await RealBroker()
    let subscriber = try await ForeignSubscriber(to: "owntracks/#", of: broker)
    let bench = try PublisherBench(broker, options: PublisherOptions(announcesPresence: false))
    for second in 0..<2 {
      // The states of the next run.
      let states = bench.publisher.connectionStates
      let run = Task { try await bench.publisher.run() }
      try await bench.emit(second..<second + 1)
      for await state in states where state.phase == .connected { break }
      #expect(await subscriber.messages(1).first?.seconds == second)
      // The subscriber may receive the location before the publisher receives the acknowledgement.
      while bench.publisher.statistics.published <= second { await Task.yield() }
      bench.backend.setAuthorization(.denied)
      let error = await #expect(throws: LocationError.self) { try await run.value }
      #expect(error?.code == .denied)
      #expect(await subscriber.messages(1).first?.payload == "")
      bench.backend.setAuthorization(AuthorizationDecision(.always))
      for await authorization in bench.manager.authorizationUpdates
      where authorization.isAuthorized { break }
    }
    #expect(bench.publisher.statistics.published == 2)
    #expect(
      try await PublisherBench.nextTopic(from: broker, to: subscriber) == "owntracks/jane/car")
  }
}
