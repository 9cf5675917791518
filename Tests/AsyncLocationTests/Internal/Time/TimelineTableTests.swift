import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct TimelineTableTests {
  @Test func theSystemClockHasAReservedSlot() {
    let table = TimelineTable(capacity: 1)
    #expect(table.identifier(of: .continuous) == .continuous)
    // System clock: it has an identifier of its own.
    #expect(table.identifier(of: Timeline.of(ContinuousClock())) == .continuous)
    #expect(table.timeline(of: .continuous) === Timeline.continuous)
    #expect(table.timeline(of: .none) == nil)
    #expect(table.timeline(of: .unknown) == nil)
  }

  @Test func theLeastRecentClocksAreEvicted() throws {
    let table = TimelineTable(capacity: 3)
    let timelines = (0..<5).map { _ in Timeline(ManualClock()) }
    let identifiers = timelines.map(table.identifier(of:))
    #expect(Set(identifiers).count == 5)
    for index in 0..<5 {
      let found = table.timeline(of: identifiers[index])
      #expect(found === (index < 2 ? nil : timelines[index]), "\(index)")
    }
    #expect(timelines.suffix(3).map(table.identifier(of:)) == identifiers.suffix(3))
    // A clock that was evicted and is still in use is added again.
    let newIdentifier = table.identifier(of: timelines[0])
    #expect(!identifiers.contains(newIdentifier))
    #expect(table.timeline(of: newIdentifier) === timelines[0])
    #expect(table.timeline(of: identifiers[0]) == nil)
    #expect(table.timeline(of: identifiers[2]) == nil)
  }

  /// The deinitializer of each evicted clock calls the table, which would deadlock if the
  /// eviction held the lock.
  @Test func evictedClocksAreFreedOutsideTheLock() {
    let table = TimelineTable(capacity: 1)
    let freed = Locked(0)
    for _ in 0..<3 {
      let clock = LeavingClock {
        _ = table.identifier(of: Timeline(ManualClock()))
        freed.withLock { $0 += 1 }
      }
      _ = table.identifier(of: Timeline(clock))
    }
    _ = table.identifier(of: Timeline(ManualClock()))
    #expect(freed.withLock { $0 } == 3)
  }

  @Test func anArrivalHasAnAgeAfterItsClockIsReleased() {
    let clock = ManualClock()
    let arrival: Arrival
    do {
      let timeline = Timeline(clock)
      clock.advance(by: .seconds(3))
      arrival = Arrival(timeline: timeline, instant: timeline.now())
    }
    clock.advance(by: .seconds(4))
    #expect(arrival.age == .seconds(4))
    #expect(Arrival(instant: .zero, timeline: .unknown).age == nil)
  }

  @Test func concurrentThreadsGetTheSameIdentifiers() async {
    let table = TimelineTable(capacity: 64)
    let timelines = (0..<32).map { _ in Timeline(ManualClock()) }
    await withTaskGroup(of: [TimelineID].self) { group in
      for _ in 0..<8 {
        group.addTask {
          timelines.map { timeline in
            let identifier = table.identifier(of: timeline)
            if table.timeline(of: identifier) !== timeline { Issue.record("another's identifier") }
            return identifier
          }
        }
      }
      let first = await group.next()
      for await identifiers in group { #expect(identifiers == first) }
    }
  }
}

/// A clock that calls a closure when it is deallocated.
private final class LeavingClock: Clock {
  private let clock = ManualClock()
  private let onDeinit: @Sendable () -> Void

  init(_ onDeinit: @escaping @Sendable () -> Void) { self.onDeinit = onDeinit }

  deinit { onDeinit() }

  var now: ManualClock.Instant { clock.now }
  var minimumResolution: Duration { clock.minimumResolution }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }
}
