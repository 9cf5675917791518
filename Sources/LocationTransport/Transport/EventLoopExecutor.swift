/// Runs tasks on the event loop's thread.
package final class EventLoopExecutor: TaskExecutor {
  package static let shared = EventLoopExecutor()

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard let loop = try? EventLoop.shared() else {
      // The system has no thread for a loop, so there is no connection to be close to.
      return globalConcurrentExecutor.enqueue(job)
    }
    unsafe loop.submit(job, on: asUnownedTaskExecutor())
  }
}
