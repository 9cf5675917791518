import Dispatch

/// A serial executor for calls that may block, outside Swift's shared thread pool.
///
/// The system keeps a thread for it only while there is work.
final class FileThread: SerialExecutor {
  private let queue = DispatchQueue(label: "AsyncLocation.recording")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
