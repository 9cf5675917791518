import LocationTransport

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
  /// While the loop's body runs, no connection of the process is read: keep the body short, and
  /// never block. Actor-isolated code runs on the actor's executor, regardless of the task's
  /// preference.
  public static var taskExecutor: any TaskExecutor { EventLoopExecutor.shared }
}
