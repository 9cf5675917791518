import AsyncLocation
import LocationStorage
import MQTTBackend
import MockBackend
import TestSupport
import Testing

/// F55: the disk of a publisher's storage is full while it publishes.
@Suite(
  .enabled(if: RealBroker.isInstalled, "mosquitto is not installed"),
  .enabled(if: SmallDisk.isPossible, "a tmpfs cannot be mounted: run as root"),
  .inTurn)
struct PublisherDiskTests {
  /// The clock stands still, so a retry happens when the test says so.
  @Test("F55 a full disk delays locations, and none leaves before it is stored")
  func fullDisk() async throws {
    // Holds SQLite's log at its largest, 4 MB, several times: the log is emptied only if the file has
    // space for what it holds.
    let (disk, clock) = (try SmallDisk(kibibytes: 16_384), ManualClock())
    let broker = try RealBroker()
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
    // So many that the space that the file has does not suffice.
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
    // The first of them may have been stored alone, in space that was left.
    while publisher.statistics.published < publisher.statistics.stored { await Task.yield() }
    let early = publisher.statistics.stored - 100
    #expect(early < 1_000)
    try await RawPublisher(to: broker.port).publish([.location(0, of: "marker/marker")])
    #expect(await subscriber.messages(early).map(\.seconds) == Array(100..<100 + early))
    #expect(await subscriber.messages(1).first?.topic == "owntracks/marker/marker")

    try disk.empty()
    while publisher.statistics.stored < total || publisher.statistics.backlog.count > 0 {
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
    let rest = Array(100 + early..<total)
    #expect(await subscriber.messages(rest.count).map(\.seconds) == rest)
    let statistics = publisher.statistics
    #expect(statistics.problem == nil)
    #expect((statistics.stored, statistics.lost) == (total, 0))
    #expect(statistics.dropped.total == 0)
    run.cancel()
    _ = await run.result
  }
}
