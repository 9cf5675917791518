/// What the hub does once its lock is open. Most decisions leave it empty, which costs nothing.
struct Effects: Sendable {
  var expiry: Expiry?
  var run: RunStateMachine.RunID?
  /// An attempt to read the key of reduced accuracy.
  var keyAttempt: UInt64?
  var cancelled: [Task<Void, Never>] = []
  /// What arrived and is delivered first, with no lock held. There is rarely more than one.
  private(set) var delivery: Delivery?
  private(set) var furtherDeliveries: [Delivery] = []
  var wakes = Wakes()
  var locations: [PendingCall<Location>.Resumption] = []
  var authorizations: [PendingCall<Authorization>.Resumption] = []
  /// A user's errors, and states that hold some, which are freed with these effects.
  var retired: [ConnectionState] = []
  var retiredErrors: [LocationError] = []
  /// Who waits for the end of the last run, or for the policy's first report.
  var idle: [CheckedContinuation<Void, Never>] = []

  mutating func add(_ delivery: Delivery) {
    if self.delivery == nil { self.delivery = delivery } else { furtherDeliveries.append(delivery) }
  }

  /// Carries out the deliveries; the consumers to wake join the others.
  mutating func deliver(_ gate: DeliveryGate) {
    guard let delivery else { return }
    delivery.perform(gate, waking: &wakes)
    for delivery in furtherDeliveries { delivery.perform(gate, waking: &wakes) }
  }

  /// Cancels and resumes; deliveries, timers and runs are the hub's to carry out.
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
