import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct PauseTableTests {
  private static let onFoot = PauseTable.Key(.fitness, pauses: true)
  private static let car = PauseTable.Key(.automotiveNavigation, pauses: true)

  /// Stages the locations of a track and returns the changes.
  private func feed(
    _ table: inout PauseTable, _ track: Track, after earlier: Track = Track(),
    device: String? = nil
  ) throws -> PauseTable.Changes {
    _ = table.removeStaged()
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
    #expect(moved.demands == [.init(members: [1, 2], isPaused: false)])  // The groups have merged.
    #expect(moved.events == [PauseEvent(isPaused: false, activityType: .fitness)])
  }

  /// Each subscriber joins after the previous one has paused.
  @Test(arguments: [5, 10]) func pausedGroupsMerge(subscribers: Int) throws {
    var table = PauseTable()
    var track = Track()
    for subscriber in 1...subscribers {
      _ = table.join(UInt64(subscriber), Self.onFoot)
      let earlier = track
      track = track.then().stay(130)
      let changes = try feed(&table, track, after: earlier)
      #expect(changes.demands == [.init(members: [UInt64(subscriber)], isPaused: true)])
      #expect(table.groupCount == min(subscriber, 2))
    }
    let moves = table.removeStaged()
    #expect(moves.map(\.member) == [UInt64(subscribers)])
    #expect(table.groupCount == 1)
    let moved = try feed(&table, track.then(60, east: 500), after: track)
    #expect(moved.demands == [.init(members: Set(1...UInt64(subscribers)), isPaused: false)])
  }

  /// A resumed group pauses again no earlier than it would alone.
  @Test func movingGroupsMerge() throws {
    var table = PauseTable()
    _ = table.join(1, Self.onFoot)
    let stay = Track().then().stay(130)
    _ = try feed(&table, stay)
    _ = table.join(2, Self.onFoot)
    // Far enough from the place of the first group, but not from that of the second group.
    let near = stay.then(east: 40).stay(50)
    _ = try feed(&table, near, after: stay)
    let away = near.then(east: 50)
    let resumed = try feed(&table, away, after: near)
    #expect(resumed.demands == [.init(members: [1], isPaused: false)])
    let rest = away.stay(119)
    let changes = try feed(&table, rest, after: away)
    #expect(changes.demands.isEmpty)
    #expect(table.groupCount == 1)
    let pause = try feed(&table, rest.stay(1), after: rest)
    #expect(pause.demands == [.init(members: [1, 2], isPaused: true)])
  }

  @Test func aGroupWithoutMembersReportsNoChange() throws {
    var table = PauseTable()
    _ = table.join(1, Self.onFoot)
    _ = try feed(&table, Track().then().stay(130))
    #expect(table.current.count == 1)
    table.leave(1)
    table.leave(1)
    #expect(table.current.isEmpty)
    #expect(table.isEmpty)
    #expect(!table.hasChanges)
  }

  @Test func endOfAPausedGroupResumesItsActivityType() throws {
    var table = PauseTable()
    _ = table.join(1, Self.onFoot)
    _ = try feed(&table, Track().then().stay(130))
    _ = table.join(2, Self.onFoot)
    table.leave(1)
    #expect(table.takeChanges().events == [PauseEvent(isPaused: false, activityType: .fitness)])
  }

  @Test func reducedLocationsResumeAGroup() throws {
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
