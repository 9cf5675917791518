import AsyncLocation

/// A process that uses a manager and one monitor at a time.
///
// SAFETY: a simulation, including this object, runs on a single thread.
final class SimulatedProcess: @unchecked Sendable {
  let backend: SimulatedBackend
  let policy: SimulatedPolicy
  let storage: SimulatedStorage
  let inspector: Inspector
  var manager: LocationManager?
  var isShutDown = false
  /// The number of consumers that were started.
  var consumerCount = 0
  var isDead: Bool { storage.isDead }

  init(
    _ disk: SimulatedDisk, _ decision: AuthorizationDecision, clock: SimulatedClock,
    executor: SimulatedExecutor, limit: Int, onViolation: @escaping (Violation) -> Void
  ) {
    policy = SimulatedPolicy(key: World.key, onViolation: onViolation)
    policy.initial = decision
    policy.prompt = decision
    backend = SimulatedBackend(capabilities: .all, policy: policy, onViolation: onViolation)
    storage = SimulatedStorage(disk)
    let manager = LocationManager(
      backend: backend, configuration: .init(buffering: .newest(limit)), clock: clock,
      executor: executor)
    inspector = Inspector(manager)
    self.manager = manager
  }
}

/// A monitor, from the beginning of its opening to the end of its closing.
///
// SAFETY: a simulation, including this object, runs on a single thread.
final class MonitorInstance: @unchecked Sendable {
  enum Phase { case opening, open, closing, closed }

  let process: SimulatedProcess
  var phase = Phase.opening
  var monitor: Monitor?

  init(_ process: SimulatedProcess) { self.process = process }

  /// Drops the monitor. The property is cleared first, because preemptions may run during the
  /// monitor's deinitialization.
  func drop() {
    let old = monitor
    monitor = nil
    withExtendedLifetime(old) {}
  }
}

/// A loop over a monitor's events.
///
// SAFETY: a simulation, including this object, runs on a single thread.
final class MonitorConsumer: @unchecked Sendable {
  let number: Int
  let process: SimulatedProcess
  var task: Task<Void, Never>?
  var isWaiting = false
  var isOver = false
  var isCancelled = false
  /// Whether the consumer leaves its loop after the next event.
  var leavesNext = false

  init(_ number: Int, _ process: SimulatedProcess) {
    (self.number, self.process) = (number, process)
  }
}
