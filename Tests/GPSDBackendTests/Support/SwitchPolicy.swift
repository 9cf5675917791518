import AsyncLocation

/// A policy that a test answers and changes. The decision that it begins with is known at once, or
/// given as an answer.
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

  /// Changes what holds; returns when every observer has taken it in.
  func change(to decision: AuthorizationDecision) {
    let observers = state.withLock { state in
      state.answer = decision
      return state.observers
    }
    for observer in observers { observer(.decision(decision)) }
  }
}
