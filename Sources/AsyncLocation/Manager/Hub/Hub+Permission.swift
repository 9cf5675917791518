/// The tasks for permission: observing the policy, asking it, reading its key, timing full
/// accuracy.
extension Hub {
  /// Asks the policy questions until the manager closes, and observes the policy until the manager
  /// and its readers are released.
  func observePolicy() {
    // Immediate: a decision reported synchronously is in force when the initializer returns.
    let observation = Task.immediateDetached(executorPreference: executor) { [policy, weak self] in
      await policy.observe { [weak self] change in self?.apply(change) }
      self?.decide { $0.policyDidReport(&$1) }
    }
    let wakeup = decide { state, effects in
      state.authorization.setObservationTask(observation, &effects)
      return state.authorization.wakeup
    }
    if let activity {
      activity.begin()
      wakeup.observe(activity.probeOfTask())
    }
    let asking = Task.detached(executorPreference: executor) { [weak self, activity] in
      while (try? await wakeup.next()) != nil { await self?.askQuestions() }
      activity?.end()
    }
    decide { $0.authorization.setAskingTask(asking, &$1) }
  }

  private func apply(_ change: AuthorizationChange) {
    switch change {
    case .decision(let decision): decide { $0.policyReported(decision, &$1) }
    case .locationServices(let enabled):
      decide { $0.authorize(.locationServices(enabled: enabled), &$1) }
    case .withdrawal: decide { $0.policyWithdrew(&$1) }
    }
  }

  /// Asks the pending questions one after the other until none is left.
  private func askQuestions() async {
    while let question = decide({ state, _ in state.authorization.nextQuestion() }) {
      let task = Task(executorPreference: executor) { [policy, self] in
        // Asked again if the policy reports another decision before it answers.
        var isOver = false
        while !isOver {
          let reportCount = decide { state, _ in state.policy.reportCount }
          let answer = await PolicyCall.answering(for: self) {
            await TaskRest.working(for: activity) { await question.put(to: policy) }
          }
          isOver = decide { $0.policyAnswered(question, answer, askedAt: reportCount, &$1) }
        }
      }
      decide { $0.authorization.setQuestionTask(task, for: question, &$1) }
      await task.value
    }
  }

  /// Reads the key of reduced accuracy.
  func readKey(_ attempt: UInt64) {
    activity?.begin()
    // Immediate: if the policy returns the key synchronously, its first report takes effect
    // synchronously.
    let task = Task.immediateDetached(executorPreference: executor) {
      [policy, activity, weak self] in
      defer { activity?.end() }
      let result: Result<ReducedAccuracyKey, LocationError>
      do throws(LocationError) {
        result = .success(try await policy.reducedAccuracyKey())
      } catch {
        result = .failure(error)
      }
      self?.decide { $0.keyWasRead(result, &$1) }
    }
    decide { $0.setKeyTask(task, attempt: attempt, &$1) }
  }

  /// The authorization in force. Waits for the first report of a policy that reports every
  /// decision.
  func authorization() async -> Authorization {
    await waitForFirstReport()
    return currentAuthorization
  }

  /// The authorization in force, without waiting.
  var currentAuthorization: Authorization {
    decide { state, _ in state.authorization.current }
  }

  /// Returns after the policy's first report, when the caller's task is cancelled, or when the
  /// manager shuts down.
  func waitForFirstReport() async {
    await wait(with: \.policy.waiters) { $0.policy.awaitsFirstReport }
  }

  /// Starts the task that ends full accuracy after its duration.
  func startTimer(for expiry: Expiry) {
    let deadline = timeline.now().addingSaturated(expiry.duration)
    let task = task(until: deadline, for: .requestTemporaryFullAccuracyAuthorization) {
      $0.expired(expiry, &$1)
    }
    decide { $0.authorization.setExpiryTask(task, for: expiry, until: deadline, &$1) }
  }

  /// Starts the task that ends full accuracy after the manager has closed. Tests do not wait for
  /// this task.
  func startTimerAfterClose(for expiry: Expiry, until deadline: Duration) {
    let task = Task.detached(executorPreference: executor) { [weak self, timeline] in
      guard (try? await timeline.sleep(until: deadline)) != nil else { return }
      self?.decide { $0.expired(expiry, &$1) }
    }
    decide { $0.authorization.setExpiryTask(task, for: expiry, until: deadline, &$1) }
  }
}
