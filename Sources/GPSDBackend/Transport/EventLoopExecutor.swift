/// Runs tasks on the event loop's thread.
final class EventLoopExecutor: TaskExecutor {
  static let shared = EventLoopExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard let loop = try? EventLoop.shared() else {
      // The system has no thread for a loop, so there is no connection to be close to.
      return globalConcurrentExecutor.enqueue(job)
    }
    unsafe loop.submit(job, on: asUnownedTaskExecutor())
  }
}

extension GPSDBackend {
  /// An executor on the thread that serves all connections to gpsd, for tasks that need minimal
  /// latency.
  ///
  /// A loop in such a task receives a location without waking another thread:
  ///
  /// ```swift
  /// let control = Task(executorPreference: GPSDBackend.taskExecutor) {
  ///   for try await location in manager.updates(UpdateOptions()) { steer(by: location) }
  /// }
  /// ```
  ///
  /// While its body runs, no connection of the process is read: keep it short, and never block.
  /// Actor-isolated code runs on the actor's executor, whatever the task prefers.
  public static var taskExecutor: any TaskExecutor { EventLoopExecutor.shared }
}
