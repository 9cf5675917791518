/// What runs for permission: the policy is followed and asked, and full accuracy timed.
extension Hub {
  /// Follows the policy, and puts questions to it, for as long as the manager lives.
  func attendPolicy() {
    // Immediate: what the policy says at once holds before the manager is there.
    let following = Task.immediateDetached(executorPreference: executor) { [policy, weak self] in
      await policy.observe { [weak self] change in self?.take(change) }
    }
    let doorbell = decide { state, effects in
      state.authorization.keep(following, &effects)
      return state.authorization.doorbell
    }
    let asking = Task.detached(executorPreference: executor) { [weak self] in
      while (try? await doorbell.next()) != nil { await self?.putQuestions() }
    }
    decide { $0.authorization.keep(asking, &$1) }
  }

  private func take(_ change: AuthorizationChange) {
    switch change {
    case .decision(let decision):
      let enforceable = enforceable(decision)
      decide { $0.authorize(.changed(enforceable), &$1) }
    case .locationServices(let enabled):
      decide { $0.authorize(.locationServices(enabled: enabled), &$1) }
    }
  }

  /// One after the other, until none is left.
  private func putQuestions() async {
    while let question = decide({ state, _ in state.authorization.nextQuestion() }) {
      let task = Task(executorPreference: executor) { [policy, self] in
        let answer = await question.put(to: policy)
        take(answer, to: question)
      }
      decide { $0.authorization.keep(task, for: question, &$1) }
      await task.value
    }
  }

  private func take(_ answer: Question.Answer, to question: Question) {
    let enforceable =
      switch answer {
      case .permission(let decision): Question.Answer.permission(enforceable(decision))
      case .fullAccuracy: answer
      }
    decide { $0.answered(question, enforceable, &$1) }
  }

  /// A decision that reduces accuracy needs the secret of the grid; without it all is denied.
  private func enforceable(_ decision: AuthorizationDecision) -> AuthorizationDecision {
    guard decision.permission.status.isAuthorized, decision.accuracy == .reduced,
      decide({ state, _ in state.reducer == nil })
    else { return decision }
    do throws(LocationError) {
      let key = try policy.reducedAccuracyKey()
      let reducer = LocationReducer(key: key)
      // Whoever came first: the grid stays what it is.
      decide { state, _ in state.reducer = state.reducer ?? reducer }
      guard let notice = key.notice else { return decision }
      return decision.because(decision.reason.map { "\($0); \(notice)" } ?? notice)
    } catch {
      return .denied.because("Locations cannot be made less accurate: \(error.message)")
    }
  }

  /// Ends full accuracy when its time is over.
  func wait(for expiry: Expiry) {
    let deadline = timeline.now() + min(expiry.duration, .longestWait)
    let task = Task.detached(executorPreference: executor) { [weak self, timeline] in
      guard (try? await timeline.sleep(until: deadline)) != nil else { return }
      self?.decide { $0.expired(expiry, &$1) }
    }
    decide { $0.authorization.keep(task, for: expiry, &$1) }
  }
}

extension Duration {
  /// Longer than anybody waits, and within what clocks can add.
  static var longestWait: Self { .seconds(10 * 365 * 86_400) }
}
