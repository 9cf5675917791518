package import Dispatch

/// A serial executor for calls that may block, such as reading files. It runs one job at a time,
/// outside Swift's shared thread pool.
///
/// An actor that uses it as its executor runs its jobs there. The system keeps a thread for it only
/// while there is work.
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
