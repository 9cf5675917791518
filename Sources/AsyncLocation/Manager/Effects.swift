/// What the hub does once its lock is open. Most decisions leave it empty, which costs nothing.
struct Effects: Sendable {
  var expiry: Expiry?
  var run: RunStateMachine.RunID?
  var cancelled: [Task<Void, Never>] = []
  var wakes = Wakes()
  var locations: [PendingCall<Location>.Resumption] = []
  var authorizations: [PendingCall<Authorization>.Resumption] = []
  /// States that hold a user's errors, which are freed with these effects.
  var retired: [ConnectionState] = []
  var idle: [CheckedContinuation<Void, Never>] = []

  /// Cancels and resumes; timers and runs are the hub's to begin.
  consuming func perform() {
    #if SIMULATION
      // The runtime runs handlers of cancellation under a lock of its own.
      LockWatch.withoutInterludes { for task in cancelled { task.cancel() } }
    #else
      for task in cancelled { task.cancel() }
    #endif
    for resumption in authorizations { resumption.perform() }
    for resumption in locations { resumption.perform() }
    wakes.perform()
    for waiter in idle { waiter.resume() }
  }
}
