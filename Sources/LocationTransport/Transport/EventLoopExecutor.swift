/// Runs jobs on the event loop's thread, or on the global executor if the event loop cannot be
/// created.
package final class EventLoopExecutor: TaskExecutor {
  package static let shared = EventLoopExecutor()

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard let loop = try? EventLoop.shared() else {
      // Without an event loop there are no connections either, so any executor is suitable.
      return globalConcurrentExecutor.enqueue(job)
    }
    unsafe loop.submit(job, on: asUnownedTaskExecutor())
  }
}
