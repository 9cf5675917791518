import AsyncLocation

/// Limits the duration of waits, measured on an injected clock.
struct TimeLimit: Sendable {
  private let stopwatch: Timeline
  private let limit: Duration

  init(clock: any Clock<Duration>, limit: Duration) {
    stopwatch = Timeline(clock)
    self.limit = limit
  }

  /// Calls `act` and returns the value of a promise; nil if the limit passes, counted from before
  /// `act`, or if the calling task is cancelled first.
  func value<Value>(of promise: Promise<Value>, after act: () -> Void = {}) async -> Value? {
    let deadline = stopwatch.now().addingSaturated(limit)
    act()
    let result = Promise<Value?>()
    let reader = Task {
      if let value = await promise.value() { result.fulfill(value) }
    }
    let alarm = Task {
      guard (try? await stopwatch.sleep(until: deadline)) != nil else { return }
      if !promise.isFulfilled { result.fulfill(nil) }
    }
    let value = await result.value() ?? nil
    reader.cancel()
    alarm.cancel()
    return value
  }

  /// Returns true if work ends within the limit; otherwise the work is cancelled and not awaited.
  func finishes(_ work: @escaping @Sendable () async -> Void) async -> Bool {
    let done = Promise<Void>()
    var task: Task<Void, Never>?
    let completion: Void? = await value(of: done) {
      task = Task {
        await work()
        done.fulfill(())
      }
    }
    task?.cancel()
    return completion != nil
  }

  /// Starts work, cancels it immediately, and returns true when it ends within the limit.
  func finishesWhenCancelled(_ work: @escaping @Sendable () async -> Void) async -> Bool {
    let done = Promise<Void>()
    let task = Task.immediate {
      await work()
      done.fulfill(())
    }
    return await value(of: done) { task.cancel() } != nil
  }
}
