/// Actions that the hub performs after it releases its lock. Most decisions add no effect, which
/// costs nothing.
struct Effects: Sendable {
  /// The expiry of full accuracy to wait for.
  var expiry: Expiry?
  /// The expiry to wait for after the manager has closed, and its deadline.
  var expiryAfterClose: (Expiry, deadline: Duration)?
  /// The run to start.
  var run: RunStateMachine.RunID?
  /// The attempt to read the key of reduced accuracy to start.
  var keyAttempt: UInt64?
  /// Reduced locations to choose.
  var choices: [ReductionChoice] = []
  /// The tasks to cancel.
  var cancelled: [Task<Void, Never>] = []
  /// The reports to deliver first, with no lock held.
  var deliveries = Deliveries()
  var wakes = Wakes()
  var events = EventOutput()
  /// Timeouts of the event feed to wait for.
  var timeouts: [EventTimeout] = []
  /// The answers to calls for a location.
  var locations: [LocationRequests.Call.Resumption] = []
  /// The answers to calls for permission.
  var authorizations: [PendingCall<Authorization>.Resumption] = []
  /// Replaced states and errors. They may hold error values of the user, so they are freed with
  /// these effects, outside the lock.
  var retired: [ConnectionState] = []
  var retiredErrors: [LocationError] = []
  /// Callers to resume that waited for the end of the last run, for the policy's first report or
  /// for reduced locations.
  var waiters: [CheckedContinuation<Void, Never>] = []

  /// Performs the deliveries and adds the consumers to wake to `wakes`.
  mutating func deliver(_ gate: DeliveryGate) { deliveries.perform(gate, waking: &wakes) }

  /// Cancels tasks and resumes callers. The hub performs deliveries, timers and runs itself.
  consuming func perform() {
    // The runtime calls cancellation handlers under a lock of its own, so a simulation must not run
    // another task meanwhile.
    LockWatch.withoutPreemption { for task in cancelled { task.cancel() } }
    for resumption in authorizations { resumption.perform() }
    for resumption in locations { resumption.perform() }
    wakes.perform()
    events.wakes.perform()
    for waiter in waiters { waiter.resume() }
  }
}
