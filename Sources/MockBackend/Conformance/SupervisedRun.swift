import AsyncLocation

/// One run of a backend under check, in its own task, so that a run that hangs does not block the
/// check.
final class SupervisedRun: Sendable {
  enum Outcome: Sendable {
    case returned
    case threw(any Error)
  }

  private struct State {
    var transcript: RunTranscript
    /// The promises of ``SupervisedRun/locations(_:)``, with their numbers of locations.
    var milestones: [(count: Int, reached: Promise<Bool>)] = []
    var isOver = false
  }

  let outcome = Promise<Outcome>()
  private let state: Locked<State>
  private let duringEmission: @Sendable () -> Void
  private let task: Locked<Task<Void, Never>?> = Locked(nil)

  init(capabilities: BackendCapabilities, duringEmission: @escaping @Sendable () -> Void) {
    state = Locked(State(transcript: RunTranscript(capabilities: capabilities)))
    self.duringEmission = duringEmission
  }

  var violations: [BackendViolation] { state.withLock { $0.transcript.violations } }
  var locationCount: Int { state.withLock { $0.transcript.locationCount } }

  /// Starts the run in a new task. If `cancelled` is true, the task is cancelled before the run
  /// starts.
  func start(_ backend: any LocationBackend, _ demand: BackendDemand, cancelled: Bool = false) {
    let task = Task {
      if cancelled { _ = await Promise<Never>().value() }
      let outcome: Outcome
      do {
        try await backend.run(demand) { self.receive($0) }
        outcome = .returned
      } catch {
        outcome = .threw(error)
      }
      finish(outcome)
    }
    self.task.withLock { $0 = task }
    if cancelled { task.cancel() }
  }

  func cancel() { task.withLock { $0 }?.cancel() }

  func note(_ violation: BackendViolation) {
    state.withLock { $0.transcript.note(violation) }
  }

  /// Returns a promise that is fulfilled with true when the run has emitted `count` locations in
  /// total, and with false when the run ends with fewer.
  func locations(_ count: Int) -> Promise<Bool> {
    let reached = Promise<Bool>()
    let answer = state.withLock { state -> Bool? in
      if state.transcript.locationCount >= count { return true }
      if state.isOver { return false }
      state.milestones.append((count, reached))
      return nil
    }
    if let answer { reached.fulfill(answer) }
    return reached
  }

  private func receive(_ events: [BackendEvent]) {
    state.withLock { $0.transcript.emissionBegan(events) }
    duringEmission()
    let reached = state.withLock { state in
      state.transcript.emissionEnded()
      let count = state.transcript.locationCount
      defer { state.milestones.removeAll { $0.count <= count } }
      return state.milestones.filter { $0.count <= count }.map(\.reached)
    }
    for promise in reached { promise.fulfill(true) }
  }

  private func finish(_ outcome: Outcome) {
    let missed = state.withLock { state in
      state.transcript.returned()
      state.isOver = true
      defer { state.milestones = [] }
      return state.milestones.map(\.reached)
    }
    self.outcome.fulfill(outcome)
    for promise in missed { promise.fulfill(false) }
  }
}
