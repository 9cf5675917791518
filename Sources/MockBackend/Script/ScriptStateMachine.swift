import AsyncLocation

/// Decides which step of a script is due. Performs no I/O; instants are on the backend's clock.
struct ScriptStateMachine: Sendable {
  enum Action: Hashable, Sendable {
    case deliver(MockDelivery)
    case sleep(until: Duration)
    case wait(MockGate)
    /// No step is left to play.
    case rest
  }

  private enum State {
    case stopped(since: Duration?)
    case running
  }

  private let script: MockScript
  private var state = State.stopped(since: nil)
  private var index = 0
  /// The instant from which the next wait is counted.
  private var origin = Duration.zero

  init(_ script: MockScript) { self.script = script }

  mutating func started(at now: Duration) {
    switch state {
    case .running: return
    case .stopped(let since):
      if let since, !script.restartsWithEachRun {
        // The script pauses between runs.
        origin = origin.addingSaturated(now.subtractingSaturated(since))
      } else {
        (index, origin) = (0, now)
      }
      state = .running
    }
  }

  mutating func stopped(at now: Duration) {
    switch state {
    case .running: state = .stopped(since: now)
    case .stopped: return
    }
  }

  /// The next action. A delivery counts as done; a wait ends with ``finishedWaiting(at:)``.
  mutating func next() -> Action {
    guard index < script.steps.count else { return .rest }
    switch script.steps[index].kind {
    case .wait(let duration):
      return .sleep(until: origin.addingSaturated(max(.zero, duration)))
    case .waitForGate(let gate): return .wait(gate)
    case .emit(let events): return deliver(.events(events))
    case .authorize(let change): return deliver(.authorization(change))
    case .checkpoint(let name): return deliver(.checkpoint(name))
    case .finish(let error): return deliver(.finish(error))
    }
  }

  mutating func finishedWaiting(at now: Duration) {
    guard index < script.steps.count else { return }
    switch script.steps[index].kind {
    case .wait(let duration): origin = origin.addingSaturated(max(.zero, duration))
    case .waitForGate: origin = now
    case .emit, .authorize, .checkpoint, .finish: return
    }
    index += 1
  }

  private mutating func deliver(_ delivery: MockDelivery) -> Action {
    index += 1
    return .deliver(delivery)
  }
}
