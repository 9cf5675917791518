/// Decides when the policy's decisions take effect, given that reduced accuracy needs the key of
/// the grid. Pure.
///
/// A grant of reduced accuracy waits for the key. If permission is already granted, the reduction
/// itself does not wait: no precise location is delivered while the key is read. A later decision
/// replaces a waiting decision.
struct ReductionGate: Hashable, Sendable {
  enum Action: Hashable, Sendable {
    /// Read the key. The number identifies the attempt.
    case readKey(UInt64)
    case change(AuthorizationDecision)
    case answer(Question, AuthorizationDecision)
    /// Put this denial in force if the decision in force reduces accuracy.
    case denyReduced(AuthorizationDecision)
  }

  /// The change and the answer that wait for the key.
  private struct Waiting: Hashable, Sendable {
    var change: AuthorizationDecision?
    var answer: Answer?
  }

  private struct Answer: Hashable, Sendable {
    let question: Question
    let decision: AuthorizationDecision
  }

  private enum State: Hashable, Sendable {
    case noKey
    case reading(Waiting)
    case ready
  }

  private var state = State.noKey
  private(set) var attempt: UInt64 = 0

  var isReading: Bool {
    switch state {
    case .reading: true
    case .noKey, .ready: false
    }
  }

  /// The policy reported a decision.
  mutating func changed(
    to new: AuthorizationDecision, inForce: AuthorizationDecision
  ) -> [Action] {
    switch state {
    case .ready: return [.change(new)]
    case .noKey:
      guard new.needsKey else { return [.change(new)] }
      guard !inForce.permission.status.isAuthorized else {
        return [.change(new)] + read(Waiting())
      }
      return read(Waiting(change: new))
    case .reading(let waiting):
      // The waiting answer is older: as `notDetermined` it leaves the new decision unchanged.
      let answer = waiting.answer.map { Answer(question: $0.question, decision: .notDetermined) }
      if new.needsKey, !inForce.permission.status.isAuthorized {
        state = .reading(Waiting(change: new, answer: answer))
        return []
      }
      state = .reading(Waiting())
      return [.change(new)] + Self.actions(answer)
    }
  }

  /// The policy answered a question that is still pending.
  mutating func answered(
    _ question: Question, _ decision: AuthorizationDecision, inForce: AuthorizationDecision
  ) -> [Action] {
    let answer = Answer(question: question, decision: decision)
    switch state {
    case .ready: return Self.actions(answer)
    case .noKey:
      guard decision.needsKey else { return Self.actions(answer) }
      return Self.reduction(of: inForce) + read(Waiting(answer: answer))
    case .reading(let waiting):
      if decision.needsKey {
        state = .reading(Waiting(answer: answer))
        return Self.reduction(of: inForce)
      }
      // `notDetermined` leaves the waiting change unchanged, so the answer waits with it.
      if decision.permission == .notDetermined, waiting.change != nil {
        state = .reading(Waiting(change: waiting.change, answer: answer))
        return []
      }
      state = .reading(Waiting())
      return Self.actions(answer)
    }
  }

  /// - Parameter notice: A notice for the operator about loading the key.
  mutating func keyWasRead(notice: String?, inForce: AuthorizationDecision) -> [Action] {
    switch state {
    case .noKey, .ready: return []
    case .reading(let waiting):
      state = .ready
      // If nothing waits, the decision in force receives the notice.
      if waiting == Waiting(), notice != nil, inForce.needsKey {
        return [.change(inForce.adding(notice))]
      }
      return Self.actions(waiting) { $0.adding(notice) }
    }
  }

  /// Denies everything that needs the key.
  mutating func keyFailed(_ reason: String) -> [Action] {
    switch state {
    case .noKey, .ready: return []
    case .reading(let waiting):
      state = .noKey
      let denied = AuthorizationDecision.denied.withReason(reason)
      // The denial comes first: an answer that keeps the decision in force then keeps the denial.
      return [.denyReduced(denied)] + Self.actions(waiting) { $0.needsKey ? denied : $0 }
    }
  }

  /// The manager ended: a waiting change takes effect without the key, and a waiting answer is
  /// dropped.
  mutating func ended() -> [Action] {
    switch state {
    case .noKey, .ready: return []
    case .reading(let waiting):
      state = .noKey
      return waiting.change.map { [.change($0)] } ?? []
    }
  }

  private mutating func read(_ waiting: Waiting) -> [Action] {
    attempt += 1
    state = .reading(waiting)
    return [.readKey(attempt)]
  }

  /// Reduces the accuracy in force before the answer that reduces it takes effect.
  private static func reduction(of inForce: AuthorizationDecision) -> [Action] {
    guard inForce.permission.status.isAuthorized, inForce.accuracy == .full else { return [] }
    return [.change(inForce.limited(to: .reduced))]
  }

  private static func actions(
    _ waiting: Waiting, _ transform: (AuthorizationDecision) -> AuthorizationDecision
  ) -> [Action] {
    (waiting.change.map { [.change(transform($0))] } ?? [])
      + actions(
        waiting.answer.map { Answer(question: $0.question, decision: transform($0.decision)) })
  }

  private static func actions(_ answer: Answer?) -> [Action] {
    answer.map { [.answer($0.question, $0.decision)] } ?? []
  }
}

extension AuthorizationDecision {
  /// True if the decision grants reduced accuracy, which needs the key of the grid.
  var needsKey: Bool { permission.status.isAuthorized && accuracy == .reduced }

  /// Returns the decision, with the notice appended to its reason if it grants reduced accuracy.
  fileprivate func adding(_ notice: String?) -> Self {
    guard let notice, needsKey else { return self }
    return withReason(reason.map { "\($0); \(notice)" } ?? notice)
  }
}
