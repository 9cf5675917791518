import AsyncLocation
import Foundation

/// Runs jobs on other threads. A test can hold the jobs and step through them.
final class HeldExecutor: TaskExecutor {
  private struct State: Sendable {
    var isHeld: Bool
    var jobs: [UnownedJob] = []
  }

  private let state: Locked<State>

  init(isHeld: Bool = false) { state = Locked(State(isHeld: isHeld)) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isHeld = state.withLock { state in
      if state.isHeld { state.jobs.append(job) }
      return state.isHeld
    }
    if !isHeld { start(job) }
  }

  private func start(_ job: UnownedJob) {
    Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  func hold() { state.withLock { $0.isHeld = true } }

  func release() {
    let jobs = state.withLock { state in
      defer { state = State(isHeld: false) }
      return state.jobs
    }
    for job in jobs { start(job) }
  }

  /// Runs the oldest held job. Returns false if there is none.
  @discardableResult
  func step() -> Bool {
    guard let job = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) else {
      return false
    }
    job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }

  /// Runs all held jobs, and those that follow.
  func run() { while step() {} }
}
