import AsyncLocation
import FoundationEssentials
import MockBackend
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

@Suite(.inTurn) struct PublisherProblemTests {
  /// The problem ends when the storage works again, even if nothing is stored.
  @Test func aProblemOfReadingEnds() async throws {
    // System clock: the mock has no script that waits.
    let backend = MockBackend(clock: ContinuousClock())
    let clock = ManualClock()
    let publisher = LocationPublisher(
      LocationManager(backend: backend, clock: ManualClock()),
      topic: try OwnTracksTopic(user: "jane", device: "boat"),
      over: WorkingChannel(isOpen: false), storage: MemoryPublicationStorage(),
      options: PublisherOptions(), clock: clock)
    let tries = Locked(0)
    let storing = Task {
      try await publisher.current.storeWithRetries { () throws(LocationError) in
        let number = tries.withLock { count in
          count += 1
          return count
        }
        if number == 1 { throw LocationError(.storageUnavailable, "The disk cannot be read.") }
        return true
      }
    }
    while publisher.statistics.problem == nil { await Task.yield() }
    while tries.withLock(\.self) < 2 {
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
    #expect(try await storing.value)
    #expect(publisher.statistics.problem == nil)
  }

  private static let full = LocationError(.storageUnavailable, "The disk is full.")
  private static let refusal = LocationError(.denied, "The broker refuses publications.")

  @Test func theStorageComesFirst() {
    var problems = PublisherProblems()
    #expect(problems.current == nil)
    problems[.publishing] = Self.refusal
    #expect(problems.current == Self.refusal)
    problems[.removing] = Self.full
    #expect(problems.current == Self.full)
    problems[.storing] = nil
    #expect(problems.current == Self.full)
    problems[.removing] = nil
    #expect(problems.current == Self.refusal)
    problems[.publishing] = nil
    #expect(problems.current == nil)
  }

  /// F55. The broker acknowledges publications that were stored before the disk was full.
  @Test("F55 an acknowledgement does not hide that the storage fails")
  func acknowledgementsHideNothing() throws {
    let delivery = PublicationDelivery(window: 10, endpoint: "nowhere")
    delivery.opened { _, _ in }
    let request = try #require(delivery.request)
    let waiting = PendingPublication(topic: "t", payload: [1], date: Date())
    delivery.handOver(
      (1...2).map { StoredPublication(number: $0, waiting) }, for: request)
    delivery.set(Self.full, of: .storing)
    delivery.acknowledged(1, on: request.connection)
    #expect(delivery.statistics.published == 1)
    #expect(delivery.statistics.problem == Self.full)
    delivery.set(nil, of: .storing)
    #expect(delivery.statistics.problem == nil)
  }

  /// A confirmation was overdue five times in a row, so that the checks were rare.
  @Test("F75 after confirmations arrive again, an overdue one is noticed soon")
  func checksSoonAgain() throws {
    let topic = "owntracks/a/a"
    let delivery = PublicationDelivery(window: 10, endpoint: "nowhere", confirmedTopic: topic)
    delivery.opened { _, _ in }
    func publication(_ number: UInt64) throws -> StoredPublication {
      let date = Date(timeIntervalSince1970: Double(number))
      let location = try Location(latitude: 1, longitude: 2, timestamp: date)
      let payload = OwnTracksMessage.location(LocationMessage(location)).json
      return StoredPublication(
        number: number, PendingPublication(topic: topic, payload: payload, date: date))
    }
    var waiting = try [publication(1)]
    func handOver() throws {
      let request = try #require(delivery.request)
      let read = waiting.filter { $0.number > request.after }
      delivery.handOver(read, for: request)
      for publication in read { delivery.acknowledged(publication.number, on: request.connection) }
    }
    try handOver()
    for _ in 0..<100 {
      delivery.checkConfirmations()
      if delivery.request.map({ $0.after < 1 }) ?? false { try handOver() }
    }
    #expect((2...8).contains(delivery.statistics.repeated))
    delivery.confirmed(
      StoredTimes(from: LocationTime(seconds: 1)!, [LocationTime(seconds: 1)!]), isRetained: false)
    #expect(delivery.statistics.published == 1)
    let repeated = delivery.statistics.repeated
    waiting = try [publication(2)]
    try handOver()
    #expect(delivery.statistics.unconfirmed == 1)
    for _ in 0..<2 { delivery.checkConfirmations() }
    #expect(delivery.statistics.repeated == repeated + 1)
  }

  @Test("F68 a problem lasts until its topic is accepted")
  func problemsOfTopics() throws {
    let delivery = PublicationDelivery(window: 10, endpoint: "nowhere")
    delivery.opened { _, _ in }
    var waiting = (1...4).map {
      StoredPublication(
        number: $0,
        PendingPublication(topic: $0 <= 2 ? "a" : "b", payload: [1], date: Date()))
    }
    /// Hands over the waiting publications, and returns the connection.
    func handOver() throws -> DeliveryStateMachine.ConnectionID {
      let request = try #require(delivery.request)
      let read = waiting.filter { $0.number > request.after }.prefix(request.count)
      delivery.handOver(Array(read), for: request)
      return request.connection
    }
    let connection = try handOver()
    delivery.refused(1, on: connection, Self.refusal)
    delivery.acknowledged(3, on: connection)
    #expect(delivery.statistics.published == 1)
    #expect(delivery.statistics.problem == Self.refusal)
    // The publication was accepted after the refused one, and is sent again.
    delivery.acknowledged(2, on: connection)
    #expect(delivery.statistics.published == 1)
    let done = delivery.finished
    waiting.removeAll { done.contains($0.number) }
    delivery.removed(done, leaving: PublicationBacklog())
    delivery.resume()
    _ = try handOver()
    delivery.acknowledged(1, on: connection)
    #expect(delivery.statistics.problem == nil)
    _ = try handOver()
    delivery.acknowledged(2, on: connection)
    delivery.acknowledged(4, on: connection)
    #expect(delivery.statistics.published == 4)
  }

  /// A limit drops the held publications: none is left that could be accepted.
  @Test("F68 a problem ends when nothing of its topic waits") func problemsOfDroppedPublications()
    throws
  {
    let delivery = PublicationDelivery(window: 10, endpoint: "nowhere")
    delivery.opened { _, _ in }
    let request = try #require(delivery.request)
    let held = ["a", "b"].enumerated().map { number, topic in
      StoredPublication(
        number: UInt64(number) + 1, PendingPublication(topic: topic, payload: [1], date: Date()))
    }
    delivery.handOver(held, for: request)
    for stored in held { delivery.refused(stored.number, on: request.connection, Self.refusal) }
    /// Reads the publications after the request's number.
    func read(_ waiting: [StoredPublication]) throws {
      let request = try #require(delivery.request)
      delivery.handOver(waiting.filter { $0.number > request.after }, for: request)
    }
    // During the pause, held publications are not read: an empty read leaves their problem.
    try read([])
    #expect(delivery.statistics.problem == Self.refusal)
    delivery.resume()
    try read([held[1]])
    try read([])
    #expect(delivery.statistics.problem == Self.refusal, "one waits for its answer")
    delivery.acknowledged(2, on: request.connection)
    #expect(delivery.statistics.problem == nil, "nothing of the other waits")
  }

  @Test func permanentRefusalIsReportedUntilTheNextAcceptance() throws {
    let delivery = PublicationDelivery(window: 10, endpoint: "nowhere")
    delivery.opened { _, _ in }
    let request = try #require(delivery.request)
    let waiting = PendingPublication(topic: "t", payload: [1], date: Date())
    delivery.handOver((1...2).map { StoredPublication(number: $0, waiting) }, for: request)
    delivery.refusedForGood(1, on: request.connection, Self.refusal)
    #expect(delivery.statistics.refused == 1)
    #expect(delivery.statistics.problem == Self.refusal)
    delivery.acknowledged(2, on: request.connection)
    #expect(delivery.statistics.problem == nil)
  }

  private static let damage = LocationError(.storageUnavailable, "The file is damaged.")

  /// Storing works again at once, which must not hide the problem.
  @Test func publicationsOfADamagedFileAreCountedAsLost() {
    let delivery = PublicationDelivery(window: 10, endpoint: "nowhere")
    func append(_ backlog: Int, _ problem: LocationError? = nil) {
      delivery.appended(
        PublicationChange(
          numbers: 1..<2, backlog: PublicationBacklog(count: backlog), problem: problem))
    }
    for count in 1...100 { append(count) }
    append(1, Self.damage)
    for count in 2...3 { append(count) }
    #expect(delivery.statistics.lost == 100)
    #expect(delivery.statistics.problem == Self.damage)
  }

  /// A storage may store fewer publications than were appended, as that of `publish --count` does.
  @Test func unstoredPublicationsAreNotLost() {
    let delivery = PublicationDelivery(window: 10, endpoint: "nowhere")
    // Three of five publications were stored.
    delivery.appended(PublicationChange(numbers: 1..<4, backlog: PublicationBacklog(count: 3)))
    #expect(delivery.statistics.lost == 0)
    #expect(delivery.statistics.stored == 3)
  }

  /// A delivery of stored publications, of which the first ones are in flight, and its connection.
  private static func delivery(
    of count: Int, underWay: UInt64
  ) throws -> (PublicationDelivery, DeliveryStateMachine.ConnectionID) {
    let delivery = PublicationDelivery(window: 10, endpoint: "nowhere")
    delivery.appended(
      PublicationChange(
        numbers: 1..<UInt64(count) + 1, backlog: PublicationBacklog(count: count)))
    delivery.opened { _, _ in }
    let request = try #require(delivery.request)
    let waiting = PendingPublication(topic: "t", payload: [1], date: Date())
    delivery.handOver((1...underWay).map { StoredPublication(number: $0, waiting) }, for: request)
    return (delivery, request.connection)
  }

  @Test func acknowledgedPublicationsAreNotLost() throws {
    let (delivery, connection) = try Self.delivery(of: 5, underWay: 3)
    for number in 1...2 { delivery.acknowledged(UInt64(number), on: connection) }
    // The file is damaged before the acknowledged ones are removed.
    delivery.set(Self.damage, of: .removing)
    delivery.removed([], leaving: PublicationBacklog())
    #expect(delivery.statistics.published == 2)
    #expect(delivery.statistics.lost == 2)
    delivery.acknowledged(3, on: connection)
    delivery.removed(delivery.finished, leaving: PublicationBacklog())
    #expect(delivery.statistics.lost == 2)
  }

  /// No stored copy is left that could be sent again.
  @Test func unacknowledgedPublicationsAreLostWithTheirFile() throws {
    let (delivery, connection) = try Self.delivery(of: 5, underWay: 3)
    delivery.set(Self.damage, of: .reading)
    delivery.removed([], leaving: PublicationBacklog())
    #expect(delivery.statistics.lost == 2)
    #expect(delivery.statistics.problem == Self.damage)
    delivery.acknowledged(1, on: connection)
    delivery.closed()
    #expect(delivery.statistics.lost == 4)
    delivery.closed()
    #expect(delivery.statistics.lost == 4)
  }

  /// On a full disk, only the removal of a small publication may succeed.
  @Test func partialRemovalLosesNothing() throws {
    let (delivery, connection) = try Self.delivery(of: 5, underWay: 3)
    for number in 1...2 { delivery.acknowledged(UInt64(number), on: connection) }
    delivery.set(Self.damage, of: .removing)
    delivery.removed([], leaving: PublicationBacklog(count: 4))
    delivery.closed()
    #expect(delivery.statistics.lost == 0)
    delivery.set(nil, of: .removing)
    #expect(delivery.statistics.problem == nil)
  }

  /// If the lost removals still counted, the run would never be done.
  @Test func aLostFileHasNoRemovalsForABroker() throws {
    let delivery = PublicationDelivery(window: 10, endpoint: "nowhere", keepsRetained: false)
    delivery.appended(
      PublicationChange(numbers: 1..<3, backlog: PublicationBacklog(count: 2)))
    delivery.opened { _, _ in }
    let removal = PendingPublication(topic: "t", payload: [], isRetained: true, date: Date())
    delivery.handOver(
      (1...2).map { StoredPublication(number: $0, removal) }, for: try #require(delivery.request))
    #expect(delivery.isDone)
    delivery.set(Self.damage, of: .reading)
    delivery.removed([], leaving: PublicationBacklog())
    #expect(delivery.isDone)
  }

  @Test func finishedPublicationsAreNotCountedAsDeleted() throws {
    let (delivery, connection) = try Self.delivery(of: 5, underWay: 3)
    for number in 1...3 { delivery.acknowledged(UInt64(number), on: connection) }
    // Two removals fail, or are in progress.
    delivery.removed([1], leaving: PublicationBacklog(count: 4))
    _ = delivery.deletedAll(reconnects: false)
    delivery.removed([2], leaving: PublicationBacklog(count: 3))
    // The third publication is a removal of an earlier deletion.
    delivery.deleted([3], PublicationChange(numbers: 6..<6, backlog: PublicationBacklog()))
    #expect(delivery.statistics.published == 3)
    #expect(delivery.statistics.deleted == 2)
  }

  /// A storage that is opened again completes a deletion whose mark it finds.
  @Test func deletedPublicationsAreNotLost() throws {
    let (delivery, _) = try Self.delivery(of: 5, underWay: 3)
    delivery.set(Self.damage, of: .reading)
    _ = delivery.deletedAll(reconnects: false)
    delivery.removed([], leaving: PublicationBacklog())
    #expect(delivery.statistics.lost == 0)
    delivery.deleted([], PublicationChange(numbers: 6..<6, backlog: PublicationBacklog()))
    #expect(delivery.statistics.lost == 0)
    #expect(delivery.statistics.deleted == 5)
  }

  /// The storage has lost the publications before the deletion.
  @Test func deletionsAfterDamageAreCounted() throws {
    let (delivery, connection) = try Self.delivery(of: 2, underWay: 2)
    for number in 1...2 { delivery.acknowledged(UInt64(number), on: connection) }
    delivery.appended(
      PublicationChange(
        numbers: 3..<4, backlog: PublicationBacklog(count: 1), problem: Self.damage))
    #expect(delivery.statistics.lost == 0)
    _ = delivery.deletedAll(reconnects: false)
    delivery.deleted([], PublicationChange(numbers: 4..<4, backlog: PublicationBacklog()))
    #expect(delivery.statistics.deleted == 1)
  }

  /// An acknowledged publication behind a refused one is normally sent again. Without its file, it
  /// cannot be.
  @Test func acknowledgementAfterFileLossCountsAsPublished() throws {
    let (delivery, connection) = try Self.delivery(of: 2, underWay: 2)
    delivery.set(Self.damage, of: .reading)
    delivery.removed([], leaving: PublicationBacklog())
    delivery.refused(1, on: connection, Self.refusal)
    delivery.acknowledged(2, on: connection)
    delivery.closed()
    #expect(delivery.statistics.published == 1)
    #expect(delivery.statistics.lost == 1)
  }

  @Test func permanentRefusalMessageOmitsWaiting() {
    let error = LocationError.publicationRefused(
      by: "b", "t", reasonCode: 0x99, forGood: true)  // Payload format invalid.
    #expect(error.code == .invalidValue)
    #expect(!error.message.contains("wait"))
  }

  /// The source has ended, so no later write would report the damage.
  @Test func fileDamageAfterTheLastLocationEndsTheRun() async throws {
    let isDamaged = Locked(false)
    var storage = HookedStorage()
    storage.beforeReading = { session throws(LocationError) in
      guard isDamaged.withLock({ exchange(&$0, with: false) }) else { return }
      _ = try await session.removeAll(then: [])
      throw Self.damage
    }
    let (clock, channel) = (ManualClock(), WorkingChannel(isOpen: false))
    // System clock: the mock has no script that waits.
    let backend = MockBackend(clock: ContinuousClock())
    let publisher = LocationPublisher(
      LocationManager(backend: backend, clock: ManualClock()),
      topic: try OwnTracksTopic(user: "jane", device: "boat"), over: channel, storage: storage,
      options: PublisherOptions(announcesPresence: false), clock: clock)
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    try backend.emit(try (0..<100).map { .location(try PublisherBench.location($0)) })
    while publisher.statistics.stored < 100 { await Task.yield() }
    try backend.end()
    isDamaged.withLock { $0 = true }
    channel.open()
    while publisher.statistics.problem == nil { await Task.yield() }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    try await run.value
    #expect(publisher.statistics.lost == 100)
    #expect(publisher.statistics.backlog.count == 0)
    #expect(publisher.statistics.problem == Self.damage)
  }

  /// Locations that are lost while the storage fails are counted while it fails, and at the end.
  @Test func locationsLostDuringStorageFailureAreCounted() async throws {
    let clock = ManualClock()
    // System clock: the mock has no script that waits.
    let (backend, channel) = (MockBackend(clock: ContinuousClock()), WorkingChannel())
    let storage = HookedStorage(
      beforeAppend: { () throws(LocationError) in throw LocationError(.storageUnavailable, "Full.")
      })
    let publisher = LocationPublisher(
      LocationManager(backend: backend, clock: ManualClock()),
      topic: try OwnTracksTopic(user: "jane", device: "boat"), over: channel, storage: storage,
      options: PublisherOptions(), clock: clock)
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    try backend.emit([.location(try PublisherBench.location(0))])
    await clock.waitForSleepers()
    // The buffer holds 4,096 of these locations, so 904 are lost.
    try backend.emit(try (1...5_000).map { .location(try PublisherBench.location($0)) })
    for _ in 0..<10 {
      clock.advance(by: .seconds(1))
      await clock.waitForSleepers()
    }
    #expect(publisher.statistics.lost == 904)
    run.cancel()
    _ = await run.result
    // Locations that were not read yet are also counted, and the one that is being stored.
    #expect(publisher.statistics.lost == 5_001)
  }

  /// Permission is withdrawn while the storage fails, before the waiting locations are deleted.
  @Test func locationsDiscardedByADenialAreCounted() async throws {
    // System clock: the mock has no script that waits.
    let backend = MockBackend(clock: ContinuousClock())
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let deletion = MockGate()
    var storage = HookedStorage()
    storage.beforeAppend = { () async throws(LocationError) in
      backend.setAuthorization(.denied)
      while manager.currentAuthorization.isAuthorized { await Task.yield() }
      throw LocationError(.storageUnavailable, "Full.")
    }
    storage.beforeRemoval = { await deletion.wait() }
    let publisher = LocationPublisher(
      manager, topic: try OwnTracksTopic(user: "jane", device: "boat"), over: WorkingChannel(),
      storage: storage, options: PublisherOptions(), clock: ManualClock())
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    try backend.emit(try (0..<2).map { .location(try PublisherBench.location($0)) })
    while publisher.statistics.deleted < 2 { await Task.yield() }
    deletion.open()
    _ = await run.result
    #expect(publisher.statistics.deleted == 2)
    #expect(publisher.statistics.lost == 0)
  }

  /// Locations in the buffer behind a failing storage are deleted, not lost, at a withdrawal.
  @Test func denialDeletesBufferedLocations() async throws {
    let clock = ManualClock()
    // System clock: the mock has no script that waits.
    let backend = MockBackend(clock: ContinuousClock())
    let storage = HookedStorage(
      beforeAppend: { () throws(LocationError) in throw LocationError(.storageUnavailable, "Full.")
      })
    let publisher = LocationPublisher(
      LocationManager(backend: backend, clock: ManualClock()),
      topic: try OwnTracksTopic(user: "jane", device: "boat"), over: WorkingChannel(),
      storage: storage, options: PublisherOptions(), clock: clock)
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    try backend.emit([.location(try PublisherBench.location(0))])
    await clock.waitForSleepers()
    try backend.emit(try (1...100).map { .location(try PublisherBench.location($0)) })
    let last = try PublisherBench.location(100).timestamp
    while await publisher.current.manager.location?.timestamp != last { await Task.yield() }
    backend.setAuthorization(.denied)
    await #expect(throws: LocationError.self) { try await run.value }
    #expect(publisher.statistics.lost == 0)
    #expect(publisher.statistics.deleted == 101)
  }

  /// A caller that resumes late, since its actor is busy, does not restore deleted publications.
  @Test func aBusyCallerBringsNothingBack() async throws {
    let (gate, isAppending) = (MockGate(), Locked(false))
    var storage = HookedStorage()
    storage.beforeAppend = {
      isAppending.withLock { $0 = true }
      await gate.wait()
    }
    // System clock: the mock has no script that waits.
    let backend = MockBackend(clock: ContinuousClock())
    let publisher = LocationPublisher(
      LocationManager(backend: backend, clock: ManualClock()),
      topic: try OwnTracksTopic(user: "jane", device: "boat"),
      over: WorkingChannel(isOpen: false, keepsRetained: false), storage: storage,
      options: PublisherOptions(), clock: ManualClock())
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    let caller = BusyCaller()
    let card = Task { try await caller.publish(.card(CardMessage(name: "Jane")), with: publisher) }
    while !isAppending.withLock(\.self) {
      await caller.executor.step()
      await Task.yield()
    }
    gate.open()
    backend.setAuthorization(.denied)
    await #expect(throws: LocationError.self) { try await run.value }
    caller.executor.finish()
    _ = await card.result
    #expect(publisher.statistics.backlog == PublicationBacklog())
    #expect(publisher.statistics.stored == 1)
    #expect(publisher.statistics.deleted == 1)
  }
}
