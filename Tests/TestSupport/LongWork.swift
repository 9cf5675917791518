import Dispatch

/// Runs what computes for seconds on one thread of its own, so that the tests beside it, some of
/// which watch the clock, find theirs free.
package final class LongWork: TaskExecutor {
  package static let shared = LongWork()

  private let queue = DispatchQueue(label: "long work")

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
