import FoundationEssentials

/// Decides which decision is in force after each reading of a policy file, for all its users. Pure.
///
/// While a file is being saved, it may be empty, truncated or absent for a moment. Such a reading
/// puts the file in doubt: the last report stays in force until a reading succeeds or the grace
/// period ends.
struct PolicyFileStateMachine: Hashable, Sendable {
  /// The result of one reading.
  struct Reading: Hashable, Sendable {
    let explanation: AuthorizationExplanation
    /// Why the file could not be used.
    var problem: PolicyFileReader.Problem.Kind?
    /// False when a change of the file may go unnoticed.
    var isWatched = true
  }

  enum Event: Hashable, Sendable {
    case read(Reading)
    case gracePeriodEnded
  }

  enum Action: Hashable, Sendable {
    /// Report this as the decision in force.
    case report(AuthorizationExplanation)
    case startGracePeriod
    case stopGracePeriod
    /// Replaces the previous timer.
    case setTimer(Timer)
    case read
  }

  /// When the file is read again without a change notification.
  enum Timer: Hashable, Sendable {
    case never
    case at(Date)
    /// After ``PolicyFileMonitor/retryInterval``.
    case retry
  }

  private enum State: Hashable, Sendable {
    case unread
    case reported(AuthorizationExplanation)
    case inDoubt(last: AuthorizationExplanation?, gracePeriodHasEnded: Bool)
  }

  private var state = State.unread

  /// The explanation in force; nil before the first report.
  var lastReported: AuthorizationExplanation? {
    switch state {
    case .unread: nil
    case .reported(let last): last
    case .inDoubt(let last, _): last
    }
  }

  mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .read(let reading): handle(reading) + [.setTimer(reading.timer)]
    case .gracePeriodEnded: endGracePeriod()
    }
  }

  private mutating func handle(_ reading: Reading) -> [Action] {
    switch reading.problem {
    case nil, .insecure: return report(reading.explanation)
    case .mistake, .transient: break
    }
    switch state {
    case .unread:
      state = .inDoubt(last: nil, gracePeriodHasEnded: false)
      return [.startGracePeriod]
    // Everything is denied already, so the error is reported without a delay.
    case .reported(let last) where last.error != nil: return report(reading.explanation)
    case .reported(let last):
      state = .inDoubt(last: last, gracePeriodHasEnded: false)
      return [.startGracePeriod]
    case .inDoubt(_, gracePeriodHasEnded: false): return []
    case .inDoubt(_, gracePeriodHasEnded: true): return report(reading.explanation)
    }
  }

  private mutating func report(_ explanation: AuthorizationExplanation) -> [Action] {
    defer { state = .reported(explanation) }
    switch state {
    case .inDoubt(_, gracePeriodHasEnded: false): return [.stopGracePeriod, .report(explanation)]
    case .unread, .reported, .inDoubt(_, gracePeriodHasEnded: true): return [.report(explanation)]
    }
  }

  private mutating func endGracePeriod() -> [Action] {
    switch state {
    case .inDoubt(let last, gracePeriodHasEnded: false):
      state = .inDoubt(last: last, gracePeriodHasEnded: true)
      return [.read]  // The file may be valid again, with its notification still pending.
    case .unread, .reported, .inDoubt(_, gracePeriodHasEnded: true): return []
    }
  }
}

extension PolicyFileStateMachine.Reading {
  fileprivate var timer: PolicyFileStateMachine.Timer {
    guard isWatched, problem != .transient else { return .retry }
    return explanation.expires.map { .at($0) } ?? .never
  }
}
