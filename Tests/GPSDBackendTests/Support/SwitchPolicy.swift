import AsyncLocation

/// A policy under the test's control. It answers requests with its current decision, and reports
/// changes of the decision to its observers.
final class SwitchPolicy: AuthorizationPolicy {
  private struct State {
    var answer: AuthorizationDecision
    var observers: [@Sendable (AuthorizationChange) -> Void] = []
    var requestCount = 0
  }

  private let state: Locked<State>

  init(_ answer: AuthorizationDecision) { state = Locked(State(answer: answer)) }

  var requestCount: Int { state.withLock { $0.requestCount } }

  func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
    state.withLock { state in
      state.requestCount += 1
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
