/// Holds the jobs of a simulation until the simulation thread chooses the next one.
///
// SAFETY: a simulation, including this object, runs on a single thread.
final class SimulatedExecutor: TaskExecutor, @unchecked Sendable {
  private(set) var ready: [UnownedJob] = []
  /// Called before a job is enqueued.
  var onEnqueue: (() -> Void)?

  func enqueue(_ job: consuming ExecutorJob) {
    onEnqueue?()
    ready.append(UnownedJob(job))
  }

  /// Runs one of the ready jobs.
  func run(_ index: Int) {
    let job = ready.remove(at: index)
    unsafe job.runSynchronously(on: asUnownedTaskExecutor())
  }
}
