import AsyncLocation

/// A policy under the test's control. The initial decision is reported at once or is the answer to
/// a request.
final class SwitchPolicy: AuthorizationPolicy {
  private struct State {
    var answer: AuthorizationDecision
    var observers: [@Sendable (AuthorizationChange) -> Void] = []
    var questions = 0
  }

  private let state: Locked<State>

  init(_ answer: AuthorizationDecision) { state = Locked(State(answer: answer)) }

  var questions: Int { state.withLock { $0.questions } }

  func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
    state.withLock { state in
      state.questions += 1
      return state.answer
    }
  }

  func observe(_ report: @escaping @Sendable (AuthorizationChange) -> Void) async {
    state.withLock { $0.observers.append(report) }
  }

  /// Changes the decision; returns when every observer has handled it.
  func change(to decision: AuthorizationDecision) {
    let observers = state.withLock { state in
      state.answer = decision
      return state.observers
    }
    for observer in observers { observer(.decision(decision)) }
  }
}
