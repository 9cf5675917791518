import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import MQTTBackend
@testable import async_location_example

@Suite(.inTurn) struct PublishTests {
  @Test func summaryCountsEverything() {
    #expect(
      PublishText.summary(PublisherStatistics(), file: nil, unit: "location")
        == "Published 0 locations; 0 wait.")
    #expect(
      PublishText.progress(PublisherStatistics(), .broker, nil)
        == "published 0, 0 waiting, not connected")
  }

  @Test func progressShowsWhereLocationsAre() {
    var statistics = PublisherSamples.waiting(15)
    (statistics.published, statistics.unconfirmed) = (20, 3)
    let connected = ConnectionState(.connected)
    #expect(
      PublishText.progress(statistics, .stored, connected)
        == "stored 20, 3 at the broker, 12 waiting, connected")
    #expect(
      PublishText.summary(statistics, file: "q.db", unit: "location")
        == "Published 20 locations, 3 more unconfirmed; 15 wait in q.db.")
    let error = PublishText.undelivered(
      for: .seconds(5), Self.connection((.connected, nil)), isUnconfirmed: true, because: nil)
    #expect(
      error.message == "No location was delivered for 5.0 s: no server has confirmed one.")
  }

  @Test(
    arguments: [
      (1, nil, "1 waits and is lost with this process."),
      (2, nil, "2 wait and are lost with this process."),
      (1, "q.db", "1 waits in q.db."), (2, "q\u{1B}.db", #"2 wait in q\u001b.db."#),
    ] as [(Int, String?, String)])
  func summaryReportsWaitingPublications(_ count: Int, _ file: String?, _ text: String) {
    #expect(
      PublishText.summary(PublisherSamples.waiting(count), file: file, unit: "location")
        == "Published 0 locations; " + text)
  }

  // MARK: Timeout

  private static let unreachable = LocationError(.backendUnavailable, "Nothing listens.")
  private static let refused = LocationError(.denied, "Not authorized.")

  private static func connection(
    _ states: (ConnectionState.Phase, LocationError?)...
  ) -> BrokerConnection {
    var connection = BrokerConnection()
    for (phase, problem) in states {
      connection.update(ConnectionState(phase, endpoint: "mqtt://a:1", problem: problem))
    }
    return connection
  }

  static let timeouts: [(BrokerConnection, LocationError?, String)] = [
    (connection(), nil, "No location was delivered for 5.0 s: not connected."),
    (
      connection((.connecting, nil)), nil,
      "No location was delivered for 5.0 s: not connected to mqtt://a:1."
    ),
    (
      connection((.waiting, unreachable)), nil,
      "No location was delivered for 5.0 s: not connected to mqtt://a:1. Cause: Nothing listens."
    ),
    (
      // During the next attempt, the cause is still that of the previous one.
      connection((.waiting, unreachable), (.connecting, nil)), nil,
      "No location was delivered for 5.0 s: not connected to mqtt://a:1. Cause: Nothing listens."
    ),
    (
      connection((.waiting, unreachable), (.connected, nil)), nil,
      "No location was delivered for 5.0 s: the broker is connected but does not answer."
    ),
    (
      connection((.connected, nil)), refused,
      "No location was delivered for 5.0 s. Cause: Not authorized."
    ),
  ]

  @Test(arguments: timeouts)
  func timeoutNamesTheCause(
    _ connection: BrokerConnection, _ problem: LocationError?, _ text: String
  ) {
    let error = PublishText.undelivered(for: .seconds(5), connection, because: problem)
    #expect(error.code == .timedOut)
    #expect(Reason.text(error) == text)
  }

  @Test func timeoutOfAFleetNamesTheCause() {
    #expect(
      Reason.text(FleetText.silent(for: .seconds(5), Self.connection((.waiting, Self.unreachable))))
        == "No location arrived for 5.0 s: not connected to mqtt://a:1. Cause: Nothing listens.")
    #expect(
      Reason.text(FleetText.silent(for: .seconds(5), Self.connection((.connected, nil))))
        == "No location arrived for 5.0 s.")
  }

  // MARK: Storage

  @Test func storageTakesNoMoreThanTheLimit() async throws {
    let changes = Changes()
    let storage = CountedStorage(
      base: MemoryPublicationStorage(), topic: "owntracks/jane/boat", limit: 3
    ) { await changes.append($0) }
    let (session, _) = try await storage.open(PublicationLimits())
    for (first, expected) in [(0, 2), (2, 3), (4, 3)] as [(UInt8, Int)] {
      let change = try await session.append(
        [Self.publication(first), Self.publication(first + 1)], accuracy: .full)
      #expect(change.backlog.count == expected)
    }
    _ = try await session.remove([1])
    #expect(await changes.all == ["opened", "taken 2", "taken 3", "done"])
    await session.close()
  }

  private static func publication(_ number: UInt8) -> PendingPublication {
    PendingPublication(
      topic: "owntracks/jane/boat", payload: [number], isRetained: false, date: Date())
  }

  @Test("publications repeated after a reconnection do not count twice")
  func repeatedPublicationsDoNotCount() async throws {
    let changes = Changes()
    let storage = CountedStorage(
      base: MemoryPublicationStorage(), topic: "owntracks/jane/boat", limit: 2
    ) { await changes.append($0) }
    let (session, _) = try await storage.open(PublicationLimits())
    _ = try await session.append([Self.publication(1)], accuracy: .full)
    let repeated = try await session.append([Self.publication(1)], accuracy: .full)
    #expect(repeated.numbers == 2..<3)
    _ = try await session.append([Self.publication(2)], accuracy: .full)
    // The repeated publication is not counted as done.
    _ = try await session.remove([1, 2])
    try await session.removeAll(then: [])
    // A deleted publication may be appended again.
    _ = try await session.append([Self.publication(2)], accuracy: .full)
    #expect(
      await changes.all == ["opened", "taken 1", "taken 2", "done", "taken 1", "taken 2"])
    await session.close()
  }

  @Test("publications deleted before delivery do not count")
  func deletedPublicationsDoNotCount() async throws {
    let changes = Changes()
    let base = MemoryPublicationStorage()
    let publications = (1...7).map(Self.publication)
    let (earlier, _) = try await base.open(PublicationLimits())
    _ = try await earlier.append(Array(publications[..<2]), accuracy: .full)
    await earlier.close()
    let storage = CountedStorage(base: base, topic: "owntracks/jane/boat", limit: 3) {
      await changes.append($0)
    }
    let (session, stored) = try await storage.open(PublicationLimits())
    _ = try await session.append(Array(publications[2..<4]), accuracy: .full)
    // Removes one publication of the earlier run and one of this run.
    _ = try await session.remove([1, stored.lastNumber + 1])
    try await session.removeAll(then: [])
    try await session.removeAll(then: [])
    let change = try await session.append(Array(publications[4...]), accuracy: .full)
    #expect(change.backlog.count == 2)
    #expect(await changes.all == ["opened", "taken 2", "done", "taken 1", "taken 3"])
    await session.close()
  }
}

extension PublishTests {
  @Test(
    "publications waiting for another device are reported", arguments: ["", "/status", "er", "s/x"])
  func publicationsOfAnotherDeviceAreReported(_ suffix: String) async throws {
    let base = MemoryPublicationStorage()
    let topic = "owntracks/jane/boat"
    let (earlier, _) = try await base.open(PublicationLimits())
    _ = try await earlier.append(
      [
        PendingPublication(
          topic: topic + suffix, payload: [123, 125], isRetained: false, date: Date())
      ], accuracy: .full)
    await earlier.close()
    let changes = Changes()
    let storage = CountedStorage(base: base, topic: topic, limit: nil) { await changes.append($0) }
    let (session, _) = try await storage.open(PublicationLimits())
    let isOwn = suffix.isEmpty || suffix.hasPrefix("/")
    #expect(await changes.all == [isOwn ? "opened" : "opened with " + topic + suffix])
    await session.close()
  }

  @Test("publications other than locations are accepted, but not counted")
  func otherPublicationsDoNotCount() async throws {
    let changes = Changes()
    let storage = CountedStorage(
      base: MemoryPublicationStorage(), topic: "owntracks/jane/boat", limit: 2
    ) { await changes.append($0) }
    let (session, _) = try await storage.open(PublicationLimits())
    for (levels, backlog) in [(["/status"], 1), (["", "", ""], 3), (["", "/status"], 4)] {
      let publications = levels.enumerated().map { index, level in
        PendingPublication(
          topic: "owntracks/jane/boat" + level, payload: [UInt8(10 * backlog + index)],
          isRetained: false, date: Date())
      }
      let change = try await session.append(publications, accuracy: .full)
      #expect(change.backlog.count == backlog)
    }
    let stored = try await session.publications(after: 0, count: 10, bytes: 1_000)
    _ = try await session.remove(stored.prefix(2).map(\.number))
    try await session.removeAll(then: [])
    #expect(await changes.all == ["opened", "taken 2", "done", "taken 1"])
    await session.close()
  }
}

/// Statistics of a publisher for tests.
enum PublisherSamples {
  static func waiting(_ count: Int) -> PublisherStatistics {
    var statistics = PublisherStatistics()
    statistics.backlog = PublicationBacklog(count: count, bytes: 100 * count)
    return statistics
  }
}

private actor Changes {
  private(set) var all: [String] = []

  func append(_ change: CountedStorage.Change) {
    switch change {
    case .opened(let problem, let other):
      all.append((problem == nil ? "opened" : "set aside") + (other.map { " with \($0)" } ?? ""))
    case .stored(let count): all.append("taken \(count)")
    case .done: all.append("done")
    }
  }
}
