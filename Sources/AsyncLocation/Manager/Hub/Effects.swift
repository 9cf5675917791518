/// Actions that the hub performs after it releases its lock. Most decisions add no effect, which
/// costs nothing.
struct Effects: Sendable {
  var expiry: Expiry?
  /// An expiry that is due after the manager has closed, and its deadline.
  var lastExpiry: (Expiry, deadline: Duration)?
  var run: RunStateMachine.RunID?
  /// An attempt to read the key of reduced accuracy.
  var keyAttempt: UInt64?
  /// Reduced locations to choose.
  var choices: [ReductionChoice] = []
  var cancelled: [Task<Void, Never>] = []
  /// The reports to deliver first, with no lock held.
  var deliveries = Deliveries()
  var wakes = Wakes()
  var events = EventOutput()
  /// Timeouts of the event feed.
  var timeouts: [EventTimeout] = []
  var locations: [LocationRequests.Call.Resumption] = []
  var authorizations: [PendingCall<Authorization>.Resumption] = []
  /// Replaced states and errors. They may hold error values of the user, so they are freed with
  /// these effects, outside the lock.
  var retired: [ConnectionState] = []
  var retiredErrors: [LocationError] = []
  /// Callers that waited for the end of the last run, for the policy's first report or for reduced
  /// locations.
  var idle: [CheckedContinuation<Void, Never>] = []

  /// Performs the deliveries and adds the consumers to wake to `wakes`.
  mutating func deliver(_ gate: DeliveryGate) { deliveries.perform(gate, waking: &wakes) }

  /// Cancels tasks and resumes callers. The hub performs deliveries, timers and runs itself.
  consuming func perform() {
    // The runtime calls cancellation handlers under a lock of its own.
    LockWatch.withoutPreemption { for task in cancelled { task.cancel() } }
    for resumption in authorizations { resumption.perform() }
    for resumption in locations { resumption.perform() }
    wakes.perform()
    events.wakes.perform()
    for waiter in idle { waiter.resume() }
  }
}
