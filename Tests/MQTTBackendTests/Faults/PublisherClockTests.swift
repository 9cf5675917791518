import AsyncLocation
import FoundationEssentials
import LocationStorage
import MQTTBackend
import MockBackend
import TestSupport
import Testing

/// F55: clocks that jump while locations wait for a broker.
@Suite(.needsBroker, .inTurn)
struct PublisherClockTests {
  enum Step: Sendable {
    /// The receiver reports locations of these seconds.
    case emit(Range<Int>)
    /// The system's clock is set to a second after ``PublisherBench/start``.
    case set(Int)
    /// Time passes without a change of the system's clock.
    case pass(Int)
    /// The publisher ends, and another one continues with its storage.
    case restart
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let steps: [Step]
    /// The locations that are published, in order.
    let expected: [Range<Int>]
    /// The number of locations that are dropped because of their age.
    var dropped = 0
  }

  /// A year in seconds.
  static let year = 31_536_000
  private static let later = year..<year + 100

  static let scenarios = [
    Scenario(
      testDescription: "the system's clock is set forward and back",
      steps: [.emit(0..<100), .set(year), .emit(100..<200), .set(-year), .emit(200..<300)],
      expected: [0..<300]),
    Scenario(
      testDescription: "the receiver's clock jumps forward and back",
      // A manager drops locations that are older than the last one, so another manager begins.
      steps: [.emit(0..<100), .emit(later), .restart, .emit(100..<200)],
      expected: [0..<100, later, 100..<200]),
    Scenario(
      testDescription: "both clocks jump forward",
      steps: [.emit(0..<100), .set(year), .emit(later)], expected: [0..<100, later]),
    Scenario(
      testDescription: "the system's clock is set forward at a restart, and back at another",
      steps: [
        .emit(0..<100), .set(year), .restart, .emit(100..<200), .set(0), .restart,
        .emit(200..<300),
      ], expected: [0..<300]),
    Scenario(
      testDescription: "the system's clock is set back before a restart",
      steps: [.emit(0..<100), .set(-year), .restart, .emit(100..<200)], expected: [0..<200]),
    Scenario(
      testDescription: "the receiver's clock stands still for a year",
      steps: [.emit(0..<100), .pass(year), .emit(100..<200)], expected: [0..<200]),
    Scenario(
      testDescription: "a year passes", steps: [.emit(0..<100), .pass(year), .emit(later)],
      expected: [later], dropped: 100),
    Scenario(
      testDescription: "a year passes while no publisher runs",
      steps: [.emit(0..<100), .set(year), .restart, .emit(later)], expected: [later],
      dropped: 100),
  ]

  private static func location(_ second: Int) throws -> Location {
    try Location(
      latitude: 60 + Double(second % 1_000) * 1e-5, longitude: 24.5,
      timestamp: date(second), horizontalAccuracy: 5)
  }

  private static func date(_ second: Int) -> Date {
    Date(timeIntervalSince1970: Double(PublisherBench.start + second))
  }

  enum Storage: String, CaseIterable, Sendable { case memory, file }

  @Test("F55 clocks that jump drop and repeat nothing", arguments: scenarios, Storage.allCases)
  func clocksJump(_ scenario: Scenario, _ kind: Storage) async throws {
    let broker = try await RealBroker()
    let relay = Relay(to: broker.port, isOpen: false)
    let (clock, second) = (ManualClock(), Locked(0))
    let time = PublicationTime(clock: clock) { Self.date(second.withLock { $0 }) }
    let storage: any PublicationStorage =
      switch kind {
      case .memory: MemoryPublicationStorage(time: time)
      case .file: SQLitePublicationStorage(file: broker.folder + "/own/waiting.sqlite", time: time)
      }
    func start() throws -> (PublisherBench, Task<Void, any Error>) {
      let bench = try PublisherBench(
        broker, storage: storage, options: PublisherOptions(announcesPresence: false), clock: clock
      ) { $0.port = relay.port }
      let publisher = bench.publisher
      return (bench, Task { try await publisher.run() })
    }
    var (bench, run) = try start()
    var (stored, dropped) = (0, 0)
    for step in scenario.steps {
      switch step {
      case .emit(let seconds):
        await bench.backend.waitUntilRunning()
        try bench.backend.emit(seconds.map { .location(try Self.location($0)) })
        stored += seconds.count
        while bench.publisher.statistics.stored < stored { await Task.yield() }
      case .set(let date): second.withLock { $0 = date }
      case .pass(let seconds): clock.advance(by: .seconds(seconds))
      case .restart:
        run.cancel()
        _ = await run.result
        dropped += bench.publisher.statistics.dropped.age
        stored = 0
        (bench, run) = try start()
      }
    }
    dropped += bench.publisher.statistics.dropped.age
    try #require(dropped == scenario.dropped)
    let expected = scenario.expected.flatMap { Array($0) }
    #expect(bench.publisher.statistics.backlog.count == expected.count)
    let subscriber = try await ForeignSubscriber(to: "#", of: broker)
    relay.set(open: true)
    #expect(await subscriber.messages(expected.count).map(\.seconds) == expected)
    while bench.publisher.statistics.backlog.count > 0 { await Task.yield() }
    try await RawPublisher(to: broker.port).publish([.location(0, of: "marker/marker")])
    #expect(await subscriber.messages(1).first?.topic == "owntracks/marker/marker")
    run.cancel()
    _ = await run.result
  }
}
