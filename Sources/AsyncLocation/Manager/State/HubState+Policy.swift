/// Applies the policy's reports and answers when they take effect.
extension HubState {
  /// The policy reported a decision.
  mutating func policyReported(_ decision: AuthorizationDecision, _ effects: inout Effects) {
    // After the manager has closed, there is nothing to reduce, so the key is not needed.
    guard !isClosed else { return authorize(.changed(decision), &effects) }
    perform(policy.reported(decision, inForce: authorization.machine.decision), &effects)
  }

  /// The policy answered a question.
  ///
  /// - Parameter reportCount: The number of decisions that the policy had reported when the
  ///   question was asked.
  /// - Returns: False when the policy has since reported another decision and must be asked again.
  mutating func policyAnswered(
    _ question: Question, _ answer: Question.Answer, askedAt reportCount: UInt64,
    _ effects: inout Effects
  ) -> Bool {
    guard !isClosed, authorization.isPending(question) else { return true }
    if policy.isOutdated(since: reportCount) { return false }
    switch answer {
    case .fullAccuracy: answered(question, answer, &effects)
    case .permission(let decision):
      perform(
        policy.answered(question, decision, inForce: authorization.machine.decision), &effects)
    }
    return true
  }

  /// The policy returned the key of reduced accuracy, or failed to.
  mutating func keyWasRead(
    _ result: Result<ReducedAccuracyKey, LocationError>, _ effects: inout Effects
  ) {
    policy.keyReadingEnded()
    guard !isClosed else { return }
    switch result {
    case .success(let key):
      known.keyWasRead(key.tracks)
      reduceKnown(&effects)
      perform(
        policy.keyWasRead(notice: key.notice, inForce: authorization.machine.decision), &effects)
    case .failure(let error):
      perform(
        policy.keyFailed("Accuracy cannot be reduced: \(error.message)"), &effects)
    }
  }

  private mutating func perform(_ actions: [ReductionGate.Action], _ effects: inout Effects) {
    let before = authorization.machine
    var (hasChanged, isInForce) = (false, false)
    for action in actions {
      switch action {
      case .readKey(let attempt):
        effects.keyAttempt = attempt
        continue
      case .change(let decision):
        authorization.handle(.changed(decision), &effects)
        hasChanged = true
      case .answer(let question, let decision):
        authorization.answered(question, .permission(decision), &effects)
      case .denyReduced(let denied):
        guard authorization.machine.decision.needsKey else { continue }
        authorization.handle(.changed(denied), &effects)
        hasChanged = true
      }
      isInForce = true
    }
    // If an answer leaves permission undetermined, permission is not requested again at once.
    authorizationChanged(from: before, mayRequestAgain: hasChanged, &effects)
    if isInForce { policyDidReport(&effects) }
  }

  /// Stores the task that reads the key, or cancels it if its attempt is over.
  mutating func setKeyTask(
    _ task: Task<Void, Never>, attempt: UInt64, _ effects: inout Effects
  ) {
    if isClosed {
      effects.cancelled.append(task)
    } else {
      policy.setKeyTask(task, attempt: attempt, &effects)
    }
  }

  mutating func closePolicy(_ effects: inout Effects) {
    perform(policy.end(&effects), &effects)
    policyDidReport(&effects)
  }

  // MARK: The first report

  /// Resumes all callers that wait for the first report. Called when the authorization in force is
  /// known, or when no report will follow.
  mutating func policyDidReport(_ effects: inout Effects) {
    guard policy.endWait(&effects), !isClosed else { return }
    publish(authorization.current, &effects)
  }
}
