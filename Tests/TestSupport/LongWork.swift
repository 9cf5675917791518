import Dispatch

/// Runs long computations on one separate thread, so that the shared threads stay free for
/// time-dependent tests.
package final class LongWork: TaskExecutor {
  package static let shared = LongWork()

  private let queue = DispatchQueue(label: "long work")

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
