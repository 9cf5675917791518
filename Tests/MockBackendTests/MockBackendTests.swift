import AsyncLocation
import Dispatch
import TestSupport
import Testing

@testable import MockBackend

@Suite(.inTurn)
struct MockBackendTests {
  @Test func waitingForARunIgnoresAStoppingRun() async throws {
    let backend = MockBackend()
    let stoppingRun = Locked<Task<Void, any Error>?>(nil)
    let counts = Journal<Int>()
    let waiting = Locked<Task<Void, Never>?>(nil)
    let run = Task.immediate {
      try await backend.run(demand) { _ in
        // A run does not stop while it delivers an event.
        stoppingRun.withLock(\.self)?.cancel()
        let waiter = Task.immediate {
          await backend.waitUntilRunning()
          counts.append(backend.runCount)
        }
        waiting.withLock { $0 = waiter }
        #expect(counts.entries.isEmpty)
      }
    }
    stoppingRun.withLock { $0 = run }
    try backend.emit(event(1))
    _ = await run.result
    #expect(counts.entries.isEmpty)
    let second = RecordedRun(backend)
    await waiting.withLock(\.self)?.value
    #expect(counts.entries == [2])
    _ = await second.cancel()
  }

  /// A manager may make a second call right after a first one, while the first call's run stops.
  @Test func eventsSuppliedDuringAStopReachTheNextRun() async throws {
    let backend = MockBackend()
    let executor = OneAtATime()
    let discarded = Journal<[BackendEvent]>()
    let run = Task(executorPreference: executor) {
      try await backend.run(demand) {
        backend.didDiscardEvents()
        discarded.append($0)
      }
    }
    await backend.waitUntilRunning()
    try await Task(executorPreference: executor) {
      run.cancel()  // The run stops after this job.
      try backend.supply([event(1)], ends: false)
    }.value
    _ = await run.result
    #expect(try discarded.entries == [[event(1)]])
    let received = Journal<[BackendEvent]>()
    let second = Task { try await backend.run(demand) { received.append($0) } }
    await backend.waitUntilRunning()
    try backend.end()
    try await second.value
    #expect(try received.entries == [[event(1)]])
  }

  @Test func emittedEventsReachTheRun() async throws {
    let backend = MockBackend()
    let run = RecordedRun(backend)
    await backend.waitUntilRunning()
    try backend.emit(event(1), event(2))
    try backend.emit([event(3)])
    #expect(await run.events(atLeast: 3) == (try (1...3).map(event)))
    #expect(run.batchSizes == [2, 1])
    try backend.end()
    #expect(await run.end() == nil)
  }

  @Test func emissionIsSynchronous() async throws {
    let backend = MockBackend()
    let seen = Journal<[BackendEvent]>()
    let run = Task.immediate { try await backend.run(demand) { seen.append($0) } }
    for number in 1...3 {
      try backend.emit(try event(number))
      #expect(seen.entries.last == [try event(number)])
    }
    run.cancel()
    _ = await run.result
    try backend.emit(try event(4))
    #expect(seen.entries.count == 3)
  }

  @Test func eventsWithoutARunAreQueued() async throws {
    let backend = MockBackend()
    try backend.emit(try event(1))
    try backend.fail(breakdown)
    try backend.emit(try event(2))
    let first = RecordedRun(backend)
    #expect(await first.end() as? LocationError == breakdown)
    #expect(first.events == [try event(1)])
    let second = RecordedRun(backend)
    #expect(await second.events(atLeast: 1) == [try event(2)])
    #expect(await second.cancel() is CancellationError)
    #expect(first.events.count == 1)
  }

  /// An event that is emitted after the wait is delivered at once, not behind earlier events.
  @Test func waitingEventsPrecedeTheRunningState() async throws {
    let backend = MockBackend()
    try backend.emit(event(1))
    let seen = Journal<String>()
    let waiting = Locked<Task<Void, Never>?>(nil)
    let run = Task.immediate {
      try await backend.run(demand) { _ in
        let waiter = Task.immediate {
          await backend.waitUntilRunning()
          seen.append("running")
        }
        waiting.withLock { $0 = waiter }
        seen.append("delivered")
      }
    }
    await waiting.withLock(\.self)?.value
    #expect(seen.entries == ["delivered", "running"])
    run.cancel()
    _ = await run.result
  }

  @Test func theQueueIsBounded() async throws {
    let backend = MockBackend()
    let limit = MockBackend.queueLimit
    for number in 0..<limit { try backend.emit(event(number)) }
    let refused: [() throws -> Void] = [
      { try backend.emit(event(limit)) }, { try backend.emit([event(limit)]) },
      { try backend.fail(breakdown) }, { try backend.end() },
    ]
    for call in refused {
      let error = #expect(throws: LocationError.self) { try call() }
      #expect(error?.code == .unsupported)
      #expect(error?.message.contains("waitUntilRunning()") == true)
    }
    // Only the accepted events are delivered, and delivery frees space in the queue.
    let run = RecordedRun(backend)
    #expect(await run.events(atLeast: limit) == (try (0..<limit).map(event)))
    try backend.end()
    #expect(await run.end() == nil)
  }

  @Test("F27 nothing follows the end of a run")
  func nothingFollowsTheEndOfARun() async throws {
    for _ in 0..<100 {
      let backend = MockBackend()
      let isOver = Locked(false)
      let late = Locked(0)
      let run = Task {
        try? await backend.run(demand) { _ in
          if isOver.withLock({ $0 }) { late.withLock { $0 += 1 } }
        }
        isOver.withLock { $0 = true }
      }
      try await withThrowingTaskGroup { group in
        for _ in 0..<4 {
          group.addTask { for _ in 0..<50 { try backend.emit(.unavailable(breakdown)) } }
        }
        group.addTask {
          await backend.waitUntilRunning()
          run.cancel()
        }
        try await group.waitForAll()
      }
      await run.value
      try backend.emit(.unavailable(breakdown))
      #expect(late.withLock { $0 } == 0)
    }
  }

  @Test func refusesASecondRun() async throws {
    let backend = MockBackend()
    let first = RecordedRun(backend)
    await backend.waitUntilRunning()
    let other = BackendDemand(kinds: .headings)
    let second = RecordedRun(backend, demand: other)
    #expect((await second.end() as? LocationError)?.code == .unsupported)
    #expect(backend.calls == [.runStarted(demand), .runRefused(other)])
    #expect(backend.runCount == 1)
    try backend.emit(try event(1))
    #expect(await first.events(atLeast: 1) == [try event(1)])
    await first.cancel()
  }

  @Test func aRunCancelledBeforeItStartsReturns() async throws {
    let backend = try MockBackend(script: [.emit(try event(1))])
    let gate = MockGate()
    let task = Task {
      await gate.wait()
      try await backend.run(demand) { _ in }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(backend.calls == [.runStarted(demand), .runEnded])
  }

  @Test func recordsCalls() async throws {
    let backend = MockBackend()
    #expect(!backend.isRunning)
    #expect(backend.demand == nil)
    await backend.waitUntilIdle()
    let run = RecordedRun(backend)
    await backend.waitUntilRunning()
    #expect(backend.isRunning)
    #expect(backend.demand == demand)
    let change = BackendDemand(kinds: .all, desiredAccuracy: .kilometer)
    await backend.demandDidChange(change)
    #expect(backend.demand == change)
    await run.cancel()
    await backend.waitUntilIdle()
    #expect(!backend.isRunning)
    #expect(backend.calls == [.runStarted(demand), .demandApplied(change), .runEnded])
    #expect(backend.calls { $0 == .runEnded } == [.runEnded])
  }

  @Test func waitsForCalls() async throws {
    let backend = MockBackend()
    let waiter = Task.immediate { await backend.waitForCall(count: 2) { $0 == .runEnded } }
    for _ in 1...2 { await RecordedRun(backend).cancel() }
    #expect(await waiter.value == [.runEnded, .runEnded])
    await backend.waitForCall(.runStarted(demand), count: 2)
    #expect(backend.runCount == 2)
  }

  @Test func cancelledWaitsReturn() async throws {
    let backend = try MockBackend(script: [.wait(for: MockGate()), .checkpoint("later")])
    let calls = Task.immediate { await backend.waitForCall(count: 3) { $0 == .runEnded } }
    let others = [
      Task.immediate { await backend.waitUntilRunning() },
      Task.immediate { await backend.waitForCall(.runEnded) },
    ]
    let checkpoint = Task.immediate { try await backend.waitForCheckpoint("later") }
    calls.cancel()
    checkpoint.cancel()
    for other in others { other.cancel() }
    try await checkpoint.value
    #expect(await calls.value == [])
    for other in others { await other.value }
  }
}

/// Runs the jobs of tasks one at a time.
private final class OneAtATime: TaskExecutor {
  private let queue = DispatchQueue(label: "one at a time")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
