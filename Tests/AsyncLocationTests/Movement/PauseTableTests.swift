import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct PauseTableTests {
  private static let onFoot = PauseTable.Key(.fitness, pauses: true)
  private static let car = PauseTable.Key(.automotiveNavigation, pauses: true)

  /// Stages the locations of a track, and returns the changes.
  private func feed(
    _ table: inout PauseTable, _ track: Track, after earlier: Track = Track(),
    device: String? = nil
  ) throws -> PauseTable.Changes {
    table.removeStaged()
    for (location, instant) in try track.locations(device: device).dropFirst(earlier.fixes.count) {
      table.observe(location, at: instant)
    }
    return table.takeChanges()
  }

  @Test func subscribersOfOneKindShareAGroup() throws {
    var table = PauseTable()
    let joined = table.join(1, Self.onFoot)
    let group = try #require(joined)
    #expect(table.join(2, Self.onFoot) == group)
    #expect(table.join(3, Self.car) != group)
    #expect(table.join(4, .init(.fitness, pauses: true, device: "a")) != group)
    #expect(table.join(5, .init(.other, pauses: false)) == nil)
    let changes = try feed(&table, Track().then().stay(200))
    #expect(changes.demands == [.init(members: [1, 2], isPaused: true)])
    #expect(changes.events == [PauseEvent(isPaused: true, activityType: .fitness)])
    #expect(table.selections[group] == ElementRuns(0..<121))
    #expect(table.selections.count == 3)
  }

  @Test func aPausedGroupIsNotJoined() throws {
    var table = PauseTable()
    let first = table.join(1, Self.onFoot)
    let stay = Track().then().stay(130)
    _ = try feed(&table, stay)
    let second = table.join(2, Self.onFoot)
    #expect(first != second)
    let both = stay.stay(130)
    let changes = try feed(&table, both, after: stay)
    #expect(changes.demands == [.init(members: [2], isPaused: true)])
    #expect(changes.events.isEmpty)  // The kind was paused already.
    let moved = try feed(&table, both.then(60, east: 500), after: both)
    #expect(Set(moved.demands.map(\.members)) == [[1], [2]])
    #expect(moved.events == [PauseEvent(isPaused: false, activityType: .fitness)])
  }

  @Test func theLastToLeaveReportsNothing() throws {
    var table = PauseTable()
    _ = table.join(1, Self.onFoot)
    _ = try feed(&table, Track().then().stay(130))
    #expect(table.current.count == 1)
    table.leave(1)
    table.leave(1)
    #expect(table.current.isEmpty && table.isEmpty && !table.hasChanges)
  }

  @Test func aPausedGroupThatEndsResumesItsKind() throws {
    var table = PauseTable()
    _ = table.join(1, Self.onFoot)
    _ = try feed(&table, Track().then().stay(130))
    _ = table.join(2, Self.onFoot)
    table.leave(1)
    #expect(table.takeChanges().events == [PauseEvent(isPaused: false, activityType: .fitness)])
  }

  @Test func reducedLocationsResume() throws {
    var table = PauseTable()
    let joined = table.join(1, Self.onFoot)
    let group = try #require(joined)
    let stay = Track().then().stay(130)
    _ = try feed(&table, stay)
    let changes = try feed(&table, stay.stay(300, isReduced: true), after: stay)
    #expect(changes.demands == [.init(members: [1], isPaused: false)])
    #expect(table.selections[group] == ElementRuns(0..<300))
  }
}
