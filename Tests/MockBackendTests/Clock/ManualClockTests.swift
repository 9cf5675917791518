import AsyncLocation
import TestSupport
import Testing

@testable import MockBackend

@Suite(.inTurn)
struct ManualClockTests {
  @Test func timeAdvancesOnlyForward() {
    let clock = ManualClock()
    #expect(clock.now == ManualClock.Instant())
    clock.advance(by: .seconds(3))
    #expect(clock.now.offset == .seconds(3))
    clock.advance(by: .seconds(-5))
    clock.advance(to: .init(offset: .seconds(1)))
    #expect(clock.now.offset == .seconds(3))
    clock.advance(to: .init(offset: .seconds(9)))
    #expect(clock.now.offset == .seconds(9))
    #expect(!clock.advanceToNextDeadline())
    #expect(ManualClock(now: .init(offset: .seconds(4))).now.offset == .seconds(4))
  }

  /// The example of the type's documentation.
  @Test func wakesASleeper() async throws {
    let clock = ManualClock()
    let alarm = Task { try await clock.sleep(for: .seconds(60)) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(60))
    try await alarm.value
  }

  @Test func passedDeadlineReturnsAtOnce() async throws {
    let clock = ManualClock(now: .init(offset: .seconds(5)))
    try await clock.sleep(until: .init(offset: .seconds(5)))
    try await clock.sleep(until: .init(offset: .seconds(1)))
    try await clock.sleep(for: .zero)
    #expect(clock.sleeperCount == 0)
  }

  @Test func noSleeperWakesBeforeItsDeadline() async throws {
    let clock = ManualClock()
    let sleeper = Task.immediate { try await clock.sleep(for: .seconds(2)) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(2) - clock.minimumResolution)
    #expect(clock.sleeperCount == 1)
    #expect(clock.nextDeadline == .init(offset: .seconds(2)))
    clock.advance(by: clock.minimumResolution)
    #expect(clock.sleeperCount == 0)
    #expect(clock.nextDeadline == nil)
    try await sleeper.value
  }

  /// An executor that runs resumed jobs on the resuming thread shows the order of resumption and
  /// the clock's time then.
  @Test func wakesInOrderAndShowsEachDeadline() async throws {
    let clock = ManualClock()
    let order = Journal<Int>()
    let seen = Journal<Duration>()
    let inline = InlineExecutor()
    var tasks: [Task<Void, any Error>] = []
    for (id, seconds) in [3, 1, 2, 1, 3].enumerated() {
      tasks.append(
        Task(executorPreference: inline) {
          try await clock.sleep(until: .init(offset: .seconds(seconds)))
          order.append(id)
          seen.append(clock.now.offset)
        })
      await clock.waitForSleepers(atLeast: id + 1)
    }
    clock.advance(by: .seconds(10))
    #expect(clock.now.offset == .seconds(10))
    for task in tasks { try await task.value }
    #expect(order.entries == [1, 3, 2, 0, 4])
    #expect(seen.entries == [1, 1, 2, 3, 3].map { .seconds($0) })
  }

  @Test func steppingWakesALoopEachTime() async throws {
    let clock = ManualClock()
    let ticks = Journal<Duration>()
    let loop = Task {
      while true {
        try await clock.sleep(for: .seconds(1))
        ticks.append(clock.now.offset)
      }
    }
    for count in 1...5 {
      await clock.step()
      _ = await ticks.wait { ticks.entries.count == count }
    }
    #expect(ticks.entries == (1...5).map { .seconds($0) })
    loop.cancel()
    await #expect(throws: CancellationError.self) { try await loop.value }
    #expect(clock.sleeperCount == 0)
  }

  @Test func cancellationWakesOneSleeper() async throws {
    let clock = ManualClock()
    let first = Task { try await clock.sleep(for: .seconds(1)) }
    let second = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.waitForSleepers(atLeast: 2)
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect(clock.sleeperCount == 1)
    clock.advanceToNextDeadline()
    try await second.value
  }

  @Test func cancelledTasksNeitherSleepNorWait() async {
    let clock = ManualClock()
    let gate = MockGate()
    let task = Task {
      await gate.wait()
      await clock.waitForSleepers()
      await clock.step(3)
      await #expect(throws: CancellationError.self) { try await clock.sleep(for: .seconds(1)) }
      await #expect(throws: CancellationError.self) { try await clock.sleep(for: .zero) }
    }
    task.cancel()
    await task.value
    #expect(clock.sleeperCount == 0)
  }

  @Test func waitersForSleepersLeaveWhenCancelled() async {
    let clock = ManualClock()
    let waiter = Task.immediate { await clock.waitForSleepers(atLeast: 2) }
    let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.waitForSleepers()
    waiter.cancel()
    await waiter.value
    sleeper.cancel()
    _ = await sleeper.result
  }

  @Test func concurrentAdvancesAddUp() async {
    let clock = ManualClock()
    await withTaskGroup { group in
      for _ in 0..<100 { group.addTask { clock.advance(by: .seconds(1)) } }
    }
    #expect(clock.now.offset == .seconds(100))
  }

  /// Every sleeper ends exactly once, however sleeping, waking and cancelling interleave; a second
  /// resumption would trap, a missing one would hang.
  @Test("F26 sleepers end once in a race of cancellation and advance")
  func sleepersEndOnceInARaceOfCancellationAndAdvance() async {
    for round in 0..<50 {
      let clock = ManualClock()
      let outcomes = Journal<Bool>()
      await withTaskGroup { group in
        let sleepers = (0..<40).map { number in
          Task {
            do {
              try await clock.sleep(for: .seconds(number % 7 + 1))
              outcomes.append(true)
            } catch {
              outcomes.append(false)
            }
          }
        }
        for (number, sleeper) in sleepers.enumerated() where (number + round).isMultiple(of: 2) {
          group.addTask { sleeper.cancel() }
        }
        for _ in 0..<8 { group.addTask { clock.advance(by: .seconds(1)) } }
        await group.waitForAll()
        clock.advance(by: .seconds(100))
        // Tasks that have not slept yet still require an advance.
        let follower = Task { await clock.step(.max) }
        for sleeper in sleepers { await sleeper.value }
        follower.cancel()
        await follower.value
      }
      #expect(outcomes.entries.count == 40)
      #expect(clock.sleeperCount == 0)
    }
  }
}

/// Runs a job on the thread that enqueues it.
private final class InlineExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    unsafe UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }
}
