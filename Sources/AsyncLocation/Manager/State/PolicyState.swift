/// The reports of the policy, the waiters for its first report, and the reading of the key of
/// reduced accuracy.
struct PolicyState: Sendable {
  /// Whether the policy reports every decision that is in force.
  private let reportsEveryDecision: Bool
  /// The number of decisions that the policy has reported.
  private(set) var reports: UInt64 = 0
  /// True until the policy has reported what is in force.
  private(set) var awaitsFirstReport: Bool
  /// Those that wait for the first report.
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
    reports += 1
    return gate.changed(to: decision, inForce: inForce)
  }

  /// True when the policy has reported another decision since it was asked.
  func isOutdated(askedAt reports: UInt64) -> Bool {
    reportsEveryDecision && reports != self.reports
  }

  mutating func answered(
    _ question: Question, _ decision: AuthorizationDecision, inForce: AuthorizationDecision
  ) -> [ReductionGate.Action] {
    gate.answered(question, decision, inForce: inForce)
  }

  // MARK: The key

  /// Keeps the task that reads the key, or cancels it if the attempt is over.
  mutating func keep(_ task: Task<Void, Never>, reading attempt: UInt64, _ effects: inout Effects) {
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
  /// - Returns: The actions that take effect without it.
  mutating func end(_ effects: inout Effects) -> [ReductionGate.Action] {
    if let keyTask { effects.cancelled.append(keyTask) }
    keyTask = nil
    return gate.ended()
  }

  // MARK: The first report

  /// Resumes all that wait for the first report. Returns false if it had arrived before.
  mutating func didReport(_ effects: inout Effects) -> Bool {
    guard awaitsFirstReport else { return false }
    awaitsFirstReport = false
    waiters.resumeAll(&effects)
    return true
  }
}
