import AsyncLocation
import Foundation

/// A serial executor whose jobs wait until a test runs them, as the jobs of a busy actor do.
package final class SteppedExecutor: SerialExecutor {
  private struct State: Sendable {
    var jobs: [UnownedJob] = []
    var runsAtOnce = false
    /// The number of jobs that may run before the next step.
    var permitted = 0
    /// True while a thread runs jobs: one at a time.
    var isRunning = false
    var waiters: [(count: Int, caller: CheckedContinuation<Void, Never>)] = []

    /// Removes and returns the next job to run; nil if there is none, which ends the run.
    mutating func next() -> UnownedJob? {
      isRunning = !jobs.isEmpty && (runsAtOnce || permitted > 0)
      guard isRunning else { return nil }
      permitted -= 1
      return jobs.removeFirst()
    }
  }

  private let state = Locked(State())

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let (startsRun, callers) = state.withLock { state in
      state.jobs.append(job)
      let count = state.jobs.count
      let met = state.waiters.filter { $0.count <= count }
      state.waiters.removeAll { $0.count <= count }
      return (state.runsAtOnce && !state.isRunning, met.map(\.caller))
    }
    for caller in callers { caller.resume() }
    if startsRun { run() }
  }

  /// Runs jobs, one after the other, until a closure returns or throws.
  package func runJobs(during body: () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        while !Task.isCancelled {
          await self.step()
          await Task.yield()
        }
      }
      defer { group.cancelAll() }
      try await body()
    }
  }

  /// Returns when `count` jobs wait.
  package func waitForJobs(_ count: Int) async {
    await withCheckedContinuation { caller in
      let isMet = state.withLock { state in
        if state.jobs.count >= count { return true }
        state.waiters.append((count, caller))
        return false
      }
      if isMet { caller.resume() }
    }
  }

  /// Runs the waiting jobs, and none that arrive meanwhile. Returns when they have ended.
  package func step() async {
    state.withLock { $0.permitted = $0.jobs.count }
    await withCheckedContinuation { caller in run { caller.resume() } }
  }

  /// Runs jobs on a thread of their own, so that `enqueue` does not wait for them.
  private func run(then ended: @escaping @Sendable () -> Void = {}) {
    Thread.detachNewThread { [self] in
      defer { ended() }
      let isFirst = state.withLock { state in
        defer { state.isRunning = true }
        return !state.isRunning
      }
      guard isFirst else { return }
      while let job = state.withLock({ $0.next() }) {
        job.runSynchronously(on: asUnownedSerialExecutor())
      }
    }
  }

  /// Runs the waiting jobs, and each later job when it arrives.
  package func finish() {
    state.withLock { $0.runsAtOnce = true }
    run()
  }
}
