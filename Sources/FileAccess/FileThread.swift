package import Dispatch

/// A serial executor for calls that may block, such as reading files. It runs one job at a time,
/// outside Swift's shared thread pool.
///
/// An actor with this executor runs all its jobs on it. The system keeps a thread for the executor
/// only while there are jobs.
package final class FileThread: SerialExecutor {
  /// The queue for event sources whose handlers must run on the same executor.
  package let queue: DispatchQueue

  package init(label: String) { queue = DispatchQueue(label: label) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
