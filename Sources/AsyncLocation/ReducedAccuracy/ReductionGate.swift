/// Decides when the policy's decisions take effect, given that a decision that reduces accuracy needs
/// the key of the grid. Pure.
///
/// A grant of reduced accuracy waits for the key. Where something is granted already, the reduction
/// itself does not wait: nothing precise is delivered while the key is read. A later decision
/// replaces one that waits.
struct ReductionGate: Hashable, Sendable {
  enum Action: Hashable, Sendable {
    /// Read the key. The number tells one attempt from another.
    case readKey(UInt64)
    case change(AuthorizationDecision)
    case answer(Question, AuthorizationDecision)
    /// Deny if what is then in force reduces accuracy.
    case denyReduced(AuthorizationDecision)
  }

  /// What waits for the key.
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
      // An answer that waits is older: it leaves what the change says.
      let answer = waiting.answer.map { Answer(question: $0.question, decision: .notDetermined) }
      if new.needsKey, !inForce.permission.status.isAuthorized {
        state = .reading(Waiting(change: new, answer: answer))
        return []
      }
      state = .reading(Waiting())
      return [.change(new)] + Self.actions(answer)
    }
  }

  /// The policy answered a question that is still out.
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
      if decision.permission == .notDetermined, waiting.change != nil {
        state = .reading(Waiting(change: waiting.change, answer: answer))
        return []
      }
      state = .reading(Waiting())
      return Self.actions(answer)
    }
  }

  /// - Parameter notice: What people should know of how the key was read.
  mutating func keyWasRead(notice: String?, inForce: AuthorizationDecision) -> [Action] {
    switch state {
    case .noKey, .ready: return []
    case .reading(let waiting):
      state = .ready
      if waiting == Waiting(), notice != nil, inForce.needsKey {
        return [.change(inForce.adding(notice))]
      }
      return Self.actions(waiting) { $0.adding(notice) }
    }
  }

  /// Whatever needs the key is denied.
  mutating func keyFailed(_ reason: String) -> [Action] {
    switch state {
    case .noKey, .ready: return []
    case .reading(let waiting):
      state = .noKey
      let denied = AuthorizationDecision.denied.withReason(reason)
      // First, so that an answer that would keep what is in force finds it denied.
      return [.denyReduced(denied)] + Self.actions(waiting) { $0.needsKey ? denied : $0 }
    }
  }

  private mutating func read(_ waiting: Waiting) -> [Action] {
    attempt += 1
    state = .reading(waiting)
    return [.readKey(attempt)]
  }

  /// What is in force loses its precision before the answer that reduces it counts.
  private static func reduction(of inForce: AuthorizationDecision) -> [Action] {
    guard inForce.permission.status.isAuthorized, inForce.accuracy == .full else { return [] }
    return [.change(inForce.limited(to: .reduced))]
  }

  private static func actions(
    _ waiting: Waiting, _ decision: (AuthorizationDecision) -> AuthorizationDecision
  ) -> [Action] {
    (waiting.change.map { [.change(decision($0))] } ?? [])
      + actions(
        waiting.answer.map { Answer(question: $0.question, decision: decision($0.decision)) })
  }

  private static func actions(_ answer: Answer?) -> [Action] {
    answer.map { [.answer($0.question, $0.decision)] } ?? []
  }
}

extension AuthorizationDecision {
  /// Grants locations of reduced accuracy, which nobody can make without the key of the grid.
  var needsKey: Bool { permission.status.isAuthorized && accuracy == .reduced }

  /// The same with a notice after the reason, where it grants reduced accuracy.
  fileprivate func adding(_ notice: String?) -> Self {
    guard let notice, needsKey else { return self }
    return withReason(reason.map { "\($0); \(notice)" } ?? notice)
  }
}
