import Dispatch

/// A thread for calls that may block, such as those that read files. It runs one job at a time and is
/// not one of the threads that all Swift tasks share.
///
/// An actor that has it as its executor does its work there. The system keeps the thread only while
/// there is work.
final class FileThread: SerialExecutor {
  /// For event sources whose handlers belong to the same thread.
  let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
