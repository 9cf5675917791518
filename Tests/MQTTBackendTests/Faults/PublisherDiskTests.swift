import AsyncLocation
import Glibc
import LocationStorage
import MockBackend
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

/// F55: the disk of a publisher's storage is full while it publishes.
@Suite(
  .needsBroker,
  .enabled(if: SmallDisk.isPossible, "a tmpfs cannot be mounted: run as root"),
  .inTurn)
struct PublisherDiskTests {
  /// Retries happen only when the test advances the clock.
  @Test("F55 a full disk delays locations, and none is sent before it is stored")
  func fullDisk() async throws {
    // The disk is much larger than the write-ahead log, because the log is merged only if the file
    // has room for its content.
    let (disk, clock) = (try SmallDisk(kibibytes: 16_384), ManualClock())
    let broker = try await RealBroker()
    let subscriber = try await ForeignSubscriber(to: "#", of: broker)
    let bench = try PublisherBench(
      broker, storage: SQLitePublicationStorage(file: disk.path + "/waiting.sqlite"),
      options: PublisherOptions(announcesPresence: false), clock: clock)
    let publisher = bench.publisher
    let run = Task { try await publisher.run() }
    try await bench.emit(0..<100)
    #expect(await subscriber.messages(100).map(\.seconds) == Array(0..<100))
    while publisher.statistics.backlog.count > 0 { await Task.yield() }

    try await disk.fill()
    // The acknowledgements of a running broker would free space, so that all locations might fit.
    broker.send(SIGSTOP)
    // The locations need more space than the file has.
    let total = 8_000
    try await bench.emit(100..<total)
    for _ in 1...3 {
      await clock.waitForSleepers()
      let problem = try #require(publisher.statistics.problem)
      #expect(problem.code == .storageUnavailable)
      #expect(problem.isTransient)
      #expect(problem.message.contains("\(disk.path)/waiting.sqlite"))
      #expect(problem.message.contains("full"))
      clock.advance(by: .seconds(1))
    }
    await clock.waitForSleepers()
    broker.send(SIGCONT)
    // The first locations may have been stored in parts, in the remaining space.
    while publisher.statistics.published < publisher.statistics.stored { await Task.yield() }
    let storedEarly = publisher.statistics.stored - 100
    #expect(storedEarly < total - 100)
    try await RawPublisher(to: broker.port).publish([.location(0, of: "marker/marker")])
    #expect(
      await subscriber.messages(storedEarly).map(\.seconds) == Array(100..<100 + storedEarly))
    #expect(await subscriber.messages(1).first?.topic == "owntracks/marker/marker")

    try disk.empty()
    while publisher.statistics.stored < total || publisher.statistics.backlog.count > 0 {
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
    let rest = Array(100 + storedEarly..<total)
    #expect(await subscriber.messages(rest.count).map(\.seconds) == rest)
    let statistics = publisher.statistics
    #expect(statistics.problem == nil)
    #expect((statistics.stored, statistics.lost) == (total, 0))
    #expect(statistics.dropped.total == 0)
    run.cancel()
    _ = await run.result
  }

  /// SQLite needs the space of a change twice until the log is merged, so a batch that is as large
  /// as the rest of the disk is stored in parts.
  @Test("F72 a disk of 400 kB stores what fits of a batch")
  func smallDiskStoresPartOfABatch() async throws {
    let (disk, clock) = (try SmallDisk(kibibytes: 400), ManualClock())
    // System clock: the mock has no script that waits.
    let (backend, channel) = (MockBackend(clock: ContinuousClock()), WorkingChannel(isOpen: false))
    let publisher = LocationPublisher(
      LocationManager(backend: backend, clock: ManualClock()),
      topic: try OwnTracksTopic(user: "jane", device: "boat"), over: channel,
      storage: SQLitePublicationStorage(file: disk("q")), options: PublisherOptions(), clock: clock)
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    // The locations take 108 kB in total.
    try backend.emit(try (0..<700).map { .location(try PublisherBench.location($0)) })
    while publisher.statistics.stored < 700 { await Task.yield() }
    // Far more than fits on the disk. The rest waits, and is counted as lost when the run ends.
    try backend.emit(try (700..<4_000).map { .location(try PublisherBench.location($0)) })
    await clock.waitForSleepers()
    let stored = publisher.statistics.stored
    #expect(publisher.statistics.problem?.code == .storageUnavailable)
    run.cancel()
    _ = await run.result
    #expect(publisher.statistics.stored == stored)
    #expect(publisher.statistics.lost == 4_000 - stored)
    #expect(publisher.statistics.backlog.count == stored)
  }
}
