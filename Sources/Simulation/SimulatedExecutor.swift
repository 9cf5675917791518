/// Keeps the jobs of a simulation until the one thread that runs them says which is next.
///
// SAFETY: everything in a simulation, this included, is touched by one thread alone.
final class SimulatedExecutor: TaskExecutor, @unchecked Sendable {
  private(set) var ready: [UnownedJob] = []
  /// Called when a job comes, before it is kept.
  var onEnqueue: (() -> Void)?

  func enqueue(_ job: consuming ExecutorJob) {
    onEnqueue?()
    ready.append(UnownedJob(job))
  }

  /// Runs one of the jobs that are ready.
  func run(_ index: Int) {
    let job = ready.remove(at: index)
    unsafe job.runSynchronously(on: asUnownedTaskExecutor())
  }
}
