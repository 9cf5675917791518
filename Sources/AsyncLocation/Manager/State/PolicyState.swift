/// The state of the policy's reports: their number, the callers that wait for the first one, and
/// the decisions that wait for the key of reduced accuracy.
struct PolicyState: Sendable {
  /// Whether the policy reports every decision that is in force.
  private let reportsEveryDecision: Bool
  /// The number of decisions that the policy has reported.
  private(set) var reportCount: UInt64 = 0
  /// True until the first report of a policy that reports every decision, or until no report can
  /// follow.
  private(set) var awaitsFirstReport: Bool
  /// The callers that wait for the first report.
  var waiters = Waiters()
  /// Decides when the policy's decisions take effect.
  private var gate = ReductionGate()
  /// The task that reads the key.
  private var keyTask: Task<Void, Never>?

  init(reportsEveryDecision: Bool) {
    self.reportsEveryDecision = reportsEveryDecision
    awaitsFirstReport = reportsEveryDecision
  }

  // MARK: Reports and answers

  mutating func reported(
    _ decision: AuthorizationDecision, inForce: AuthorizationDecision
  ) -> [ReductionGate.Action] {
    reportCount += 1
    return gate.changed(to: decision, inForce: inForce)
  }

  /// Whether the policy has reported another decision since ``reportCount`` was read.
  func isOutdated(since count: UInt64) -> Bool {
    reportsEveryDecision && count != reportCount
  }

  mutating func answered(
    _ question: Question, _ decision: AuthorizationDecision, inForce: AuthorizationDecision
  ) -> [ReductionGate.Action] {
    gate.answered(question, decision, inForce: inForce)
  }

  // MARK: The key

  /// Stores the task that reads the key, or cancels it if its attempt is over.
  mutating func setKeyTask(
    _ task: Task<Void, Never>, attempt: UInt64, _ effects: inout Effects
  ) {
    if gate.isReading, gate.attempt == attempt {
      keyTask = task
    } else {
      effects.cancelled.append(task)
    }
  }

  mutating func keyReadingEnded() { keyTask = nil }

  mutating func keyWasRead(
    notice: String?, inForce: AuthorizationDecision
  ) -> [ReductionGate.Action] {
    gate.keyWasRead(notice: notice, inForce: inForce)
  }

  mutating func keyFailed(_ reason: String) -> [ReductionGate.Action] { gate.keyFailed(reason) }

  /// Cancels the reading of the key.
  ///
  /// - Returns: The actions that take effect without the key.
  mutating func end(_ effects: inout Effects) -> [ReductionGate.Action] {
    if let keyTask { effects.cancelled.append(keyTask) }
    keyTask = nil
    return gate.ended()
  }

  // MARK: The first report

  /// Resumes the callers that wait for the first report. Returns false if no first report is
  /// awaited.
  mutating func endWait(_ effects: inout Effects) -> Bool {
    guard awaitsFirstReport else { return false }
    awaitsFirstReport = false
    waiters.resumeAll(&effects)
    return true
  }
}
