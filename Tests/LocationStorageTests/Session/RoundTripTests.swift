import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationStorage
@testable import monitor_writer

/// A file stores what `MemoryMonitorStorage` stores.
@Suite(.inTurn)
struct RoundTripTests {
  @Test(
    "random changes give the content of a storage in memory",
    arguments: 1...12 as ClosedRange<UInt64>)
  func randomChanges(_ seed: UInt64) async throws {
    let folder = try StorageFolder(isInMemory: true)
    let (file, memory) = (folder.storage, MemoryMonitorStorage())
    var changes = RandomChanges(seed: seed)
    var random = SplitMix64(seed: seed)
    for _ in 0..<12 {
      let (session, stored) = try await file.open("m")
      let (model, expected) = try await memory.open("m")
      #expect(stored.problem == nil)
      try #require(stored.sorted == expected.sorted)
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        let commit = try changes.next()
        try await session.commit(commit)
        try await model.commit(commit)
      }
      if Bool.random(using: &random) {
        let content = StoredMonitor(
          conditions: try (0..<3).map { index in
            StoredCondition(
              identifier: "replaced \(index)", condition: try changes.storedCondition().condition)
          },
          events: stored.events, lastNumber: max(expected.lastNumber, 40))
        try await session.replace(with: content)
        try await model.replace(with: content)
      }
      await session.close()
      await model.close()
    }
  }

  @Test func everyKindOfConditionRoundTrips() async throws {
    let folder = try StorageFolder(isInMemory: true)
    var random = RandomChanges(seed: 99)
    var conditions: [String: StoredCondition] = [:]
    for index in 0..<400 {
      let condition = try random.storedCondition()
      conditions["\(index)"] = StoredCondition(
        identifier: "\(index)", condition: condition.condition, state: condition.state,
        candidate: condition.candidate,
        lastEvent: condition.lastEvent.map {
          Monitor.Event(
            identifier: "\(index)", number: $0.number, state: $0.state,
            previousState: $0.previousState, date: $0.date, refinement: $0.refinement,
            diagnostics: $0.diagnostics, isRepeated: $0.isRepeated)
        })
    }
    let (session, empty) = try await folder.storage.open("m")
    #expect(empty == StoredMonitor())
    try await session.commit(conditions.values.map { .add($0) })
    await session.close()
    let stored = try await folder.storage.content()
    #expect(stored.conditions.count == conditions.count)
    for condition in stored.conditions { #expect(condition == conditions[condition.identifier]) }
    let kinds = Set(conditions.values.map { ConditionColumns($0.condition).kind })
    #expect(kinds == [0, 1, 2, 3])
  }

  @Test func twoMonitorsOfOneDirectoryAreSeparate() async throws {
    let folder = try StorageFolder(isInMemory: true)
    let (first, _) = try await folder.storage.open("first")
    let (second, _) = try await folder.storage.open("second")
    try await first.commit([.remove(identifier: "a")])
    try await second.commit([.add(try Self.condition("b"))])
    await first.close()
    await second.close()
    #expect(try await folder.storage.content(of: "first").conditions.isEmpty)
    #expect(try await folder.storage.content(of: "second").conditions.map(\.identifier) == ["b"])
  }

  @Test func aStorageOfOneFileIgnoresTheMonitorsName() async throws {
    let folder = try StorageFolder(isInMemory: true)
    let storage = SQLiteMonitorStorage(file: folder("state.db"))
    let (session, _) = try await storage.open("one")
    try await session.commit([.add(try Self.condition("b"))])
    await session.close()
    #expect(try await storage.content(of: "two").conditions.map(\.identifier) == ["b"])
    #expect(folder.names() == ["state.db", "state.db.lock"])
  }

  @Test func invalidValuesAreRefusedWithoutChange() async throws {
    let folder = try StorageFolder(isInMemory: true)
    let (session, _) = try await folder.storage.open("m")
    try await session.commit([.add(try Self.condition("b"))])
    let date = Date(timeIntervalSinceReferenceDate: .nan)
    let bad: [MonitorChange] = [
      .add(try Self.condition("")), .add(try Self.condition(String(repeating: "x", count: 1_025))),
      .add(try Self.condition("nul\0")),
      .candidate(identifier: "b", .init(isInside: true, isCertain: true, since: date)),
      .candidate(
        identifier: "b",
        .init(
          isInside: true, isCertain: true, since: Date(timeIntervalSinceReferenceDate: 1e300))),
      .event(
        Monitor.Event(
          identifier: "b", number: .max, state: .satisfied, previousState: .unknown, date: Date())),
      .event(
        Monitor.Event(
          identifier: "b", number: 1, state: .satisfied, previousState: .unknown, date: date)),
    ]
    for change in bad {
      let error = await #expect(throws: LocationError.self) {
        try await session.commit([.remove(identifier: "b"), change])
      }
      #expect(error?.code == .invalidValue)
    }
    try await session.commit([.add(try Self.condition("c"))])
    await session.close()
    #expect(try await folder.storage.content().conditions.map(\.identifier) == ["b", "c"])
  }

  @Test func theLastAdditionOfACommitReplacesEarlierOnes() async throws {
    let folder = try StorageFolder(isInMemory: true)
    let (session, _) = try await folder.storage.open("m")
    try await session.commit([
      .add(try Self.condition("b", radius: 1)), .add(try Self.condition("a", radius: 2)),
      .add(try Self.condition("b", radius: 3)),
    ])
    await session.close()
    let stored = try await folder.storage.content()
    #expect(
      stored.conditions == [try Self.condition("a", radius: 2), try Self.condition("b", radius: 3)])
  }

  static func condition(_ identifier: String, radius: Double = 100) throws -> StoredCondition {
    StoredCondition(
      identifier: identifier,
      condition: try .circle(
        center: Coordinate(latitude: 53.5, longitude: 10), radius: radius))
  }
}
