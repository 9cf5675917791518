/// Decides when the backend runs. Starts and stops alternate and runs never overlap. While a run
/// stops, the last ``Event/wanted(_:)`` decides whether another run follows.
package struct RunStateMachine: Sendable {
  package typealias RunID = UInt64

  package enum Event: Hashable, Sendable {
    /// Whether there is both demand and permission.
    case wanted(Bool)
    /// A run returned or threw.
    case ended(RunID)
  }

  package enum Action: Hashable, Sendable {
    case none
    case start(RunID)
    case cancel(RunID)
  }

  private enum State: Hashable, Sendable {
    case idle
    case running(RunID)
    case stopping(RunID, startsAgain: Bool)
  }

  private var state = State.idle
  private var lastID: RunID = 0

  package init() {}

  package var isIdle: Bool { state == .idle }
  package var isRunning: Bool {
    switch state {
    case .running: true
    case .idle, .stopping: false
    }
  }
  /// The number of runs so far.
  var runs: UInt64 { lastID }

  /// True when the events of a run are accepted.
  package func isCurrent(_ id: RunID) -> Bool { state == .running(id) }

  /// True while a run that was cancelled has not ended.
  func isStopping(_ id: RunID) -> Bool {
    switch state {
    case .stopping(let stopping, _): stopping == id
    case .idle, .running: false
    }
  }

  /// True while no later run has started or is scheduled.
  func isLatest(_ id: RunID) -> Bool {
    switch state {
    case .idle, .running: id == lastID
    case .stopping(_, let startsAgain): id == lastID && !startsAgain
    }
  }

  package mutating func handle(_ event: Event) -> Action {
    switch (state, event) {
    case (.idle, .wanted(true)):
      return start()
    case (.running(let id), .wanted(false)):
      state = .stopping(id, startsAgain: false)
      return .cancel(id)
    case (.stopping(let id, _), .wanted(let wanted)):
      state = .stopping(id, startsAgain: wanted)
      return .none
    case (.running(let id), .ended(let ended)) where id == ended:
      state = .idle
      return .none
    case (.stopping(let id, let startsAgain), .ended(let ended)) where id == ended:
      state = .idle
      return startsAgain ? start() : .none
    case (.idle, .wanted(false)), (.running, .wanted(true)), (_, .ended):
      return .none
    }
  }

  private mutating func start() -> Action {
    lastID += 1
    state = .running(lastID)
    return .start(lastID)
  }
}
