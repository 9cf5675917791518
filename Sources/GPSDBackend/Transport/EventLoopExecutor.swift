/// Runs tasks on the event loop's thread.
final class EventLoopExecutor: TaskExecutor {
  static let shared = EventLoopExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard let loop = try? EventLoop.shared() else {
      // The system has no thread for a loop, so that there is no connection to be near to.
      return globalConcurrentExecutor.enqueue(job)
    }
    loop.submit(job, on: asUnownedTaskExecutor())
  }
}

extension GPSDBackend {
  /// The thread that serves all connections to gpsd, for tasks that want to be nearest to it.
  ///
  /// A loop in such a task gets a location without another thread being woken for it:
  ///
  /// ```swift
  /// let control = Task(executorPreference: GPSDBackend.taskExecutor) {
  ///   for try await location in manager.updates(UpdateOptions()) { steer(by: location) }
  /// }
  /// ```
  ///
  /// As long as its body runs no connection of the process is read: let it do little, and never
  /// block. An actor's code runs where the actor does, whatever the task prefers.
  public static var taskExecutor: any TaskExecutor { EventLoopExecutor.shared }
}
