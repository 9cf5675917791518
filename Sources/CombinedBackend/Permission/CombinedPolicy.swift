import AsyncLocation

/// Puts the manager's requests to the policies of the sources, and reports what they decide together.
///
/// The policies may report from several threads at once. Each change excludes a source at once; the
/// reports to the managers are made in order, by one thread at a time.
final class CombinedPolicy: AuthorizationPolicy {
  /// The time for which a source that refused access is not tried again, while others are left.
  static let refusalPeriod = Duration.seconds(60)

  private enum Step: Sendable {
    case permission(SourcePermissions.Step)
    /// Report the decision in force to a new observer.
    case greet(UInt64)
  }

  private struct State: Sendable {
    var permissions: SourcePermissions
    var steps: [Step] = []
    var isPerforming = false
    var observers: [UInt64: @Sendable (AuthorizationChange) -> Void] = [:]
    /// Receives the sources that may run.
    var runs: [UInt64: @Sendable (Set<Int>) -> Void] = [:]
    /// The sources that refused access, and until when.
    var refusals: [Int: (error: LocationError, until: Duration)] = [:]
    var lastID: UInt64 = 0
    var questions = SourceQuestions()
  }

  private let policies: [any AuthorizationPolicy]
  private let names: [String]
  private let state: Locked<State>
  let reportsEveryDecision: Bool

  init(_ sources: [CombinedSource]) {
    let policies = sources.map(\.backend.authorizationPolicy)
    self.policies = policies
    names = sources.map(\.name)
    reportsEveryDecision = policies.contains(where: \.reportsEveryDecision)
    state = Locked(
      State(
        permissions: SourcePermissions(
          zip(sources, policies).map { ($0.name, $1.reportsEveryDecision) })))
  }

  // MARK: Runs

  /// The sources that may run.
  var admitted: Set<Int> { state.withLock { $0.permissions.admitted } }

  /// The number of times that a part of what was delivered was withdrawn.
  var withdrawals: Int { state.withLock { $0.permissions.withdrawals } }

  /// Returns those of the sources that may deliver now, and the number of withdrawals.
  func admit(_ sources: Set<Int>) -> (permitted: Set<Int>, withdrawals: Int) {
    guard !sources.isEmpty else { return ([], 0) }
    return state.withLock { ($0.permissions.deliver(sources), $0.permissions.withdrawals) }
  }

  /// Withdraws again what was delivered, if anything was withdrawn since: it may have been delivered
  /// after the report.
  ///
  /// - Parameter withdrawals: The number of withdrawals when it was admitted.
  func repeatWithdrawal(since withdrawals: Int) {
    change { state in
      state.permissions.withdrawals == withdrawals ? [] : state.permissions.withdrawAgain()
    }
  }

  /// Calls `change` with the sources that may run, when they change.
  func observe(_ change: @escaping @Sendable (Set<Int>) -> Void) -> UInt64 {
    state.withLock { state in
      state.lastID += 1
      state.runs[state.lastID] = change
      return state.lastID
    }
  }

  func removeObserver(_ id: UInt64) {
    let removed = state.withLock { $0.runs.removeValue(forKey: id) }
    withExtendedLifetime(removed) {}
  }

  /// The sources that refused access a short time ago.
  func refusals(at now: Duration) -> [Int: LocationError] {
    state.withLock { state in
      state.refusals = state.refusals.filter { $0.value.until > now }
      return state.refusals.mapValues(\.error)
    }
  }

  /// A run begins, in which these sources may run.
  func runBegins(with sources: Set<Int>) {
    state.withLock { $0.permissions.retried(sources) }
  }

  /// A source refuses access: withdraws what it has delivered.
  func sourceRefused(_ source: Int, _ error: LocationError, at now: Duration) {
    change { state in
      state.refusals[source] = (error, now.addingSaturated(Self.refusalPeriod))
      return state.permissions.sourceRefused(source)
    }
  }

  // MARK: Questions

  func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
    state.withLock { $0.permissions.requestBegan() }
    // An answer to a question that was cancelled has no effect.
    for source in policies.indices where !Task.isCancelled { await ask(source, request) }
    change { $0.permissions.requestEnded() }
    guard !Task.isCancelled else { return .notDetermined }
    return state.withLock { $0.permissions.combined.decision }
  }

  private func ask(_ source: Int, _ request: AuthorizationRequest) async {
    let asked = state.withLock { state in
      state.permissions.requested(request, of: source).map {
        state.questions.ask($0, of: source)
      }
    }
    guard let (question, isPutter) = asked else { return }
    // In a task of its own, so that a cancelled request does not wait for the policy.
    if isPutter { Task.immediate { await putQuestions(to: source) } }
    let answer = await question.answer()
    change { state in
      state.questions.close(question.id, of: source)
      // Ignored if a report has settled the question.
      return state.permissions.answered(answer ?? .notDetermined, by: source)
    }
  }

  /// Puts the questions to a source's policy, one after another, until none is open.
  private func putQuestions(to source: Int) async {
    while let question = state.withLock({ $0.questions.next(of: source) }) {
      await question.put { await self.answer(of: source, to: question.request) }
    }
  }

  /// The answer of a policy; nil if its task was cancelled.
  private func answer(
    of source: Int, to question: AuthorizationRequest
  ) async -> AuthorizationDecision? {
    let policy = policies[source]
    // Asked again if the policy reports another decision before it answers, unless the report has
    // settled the question.
    while !Task.isCancelled {
      let reportCount = state.withLock { $0.permissions.reportCounts[source] }
      let answer = await policy.authorize(question)
      if Task.isCancelled { break }
      let isOutdated = state.withLock { state in
        state.permissions.isAsked(source) && reportCount != state.permissions.reportCounts[source]
      }
      guard policy.reportsEveryDecision, isOutdated else { return answer }
    }
    return nil
  }

  /// A policy reported a change, which cancels a question that is no longer open.
  private func reported(_ reported: AuthorizationChange, of source: Int) {
    let settled = state.withLock { state in
      state.steps += state.permissions.changed(reported, of: source).map(Step.permission)
      return state.permissions.isAsked(source) ? nil : state.questions.close(of: source)
    }
    performSteps()
    settled?.end()
  }

  /// The shortest duration that the policies with reduced accuracy grant; nil if one of them
  /// declines.
  func temporaryFullAccuracy(for purposeKey: String) async -> Duration? {
    var shortest: Duration?
    var asked: Set<Int> = []
    // A policy that reduces accuracy meanwhile is asked as well.
    while let source = state.withLock({ $0.permissions.reduced.first { !asked.contains($0) } }) {
      asked.insert(source)
      guard let granted = await fullAccuracy(of: source, for: purposeKey) else { return nil }
      shortest = min(shortest ?? granted, granted)
    }
    return shortest
  }

  /// The duration that a policy grants; nil if it declines, or the task is cancelled. A cancelled
  /// request does not wait for the policy.
  private func fullAccuracy(of source: Int, for purposeKey: String) async -> Duration? {
    let (answers, answer) = AsyncStream.makeStream(of: Duration?.self)
    let call = Task.immediate { [policy = policies[source]] in
      answer.yield(await policy.temporaryFullAccuracy(for: purposeKey))
    }
    defer { call.cancel() }
    return await answers.first { _ in true } ?? nil
  }

  /// The key of the most preferred source with reduced accuracy.
  func reducedAccuracyKey() async throws(LocationError) -> ReducedAccuracyKey {
    guard let source = state.withLock({ $0.permissions.reduced.first }) else {
      throw LocationError(.unsupported, "No source reduces accuracy.")
    }
    do throws(LocationError) {
      return try await policies[source].reducedAccuracyKey()
    } catch {
      throw LocationError(error.code, "\(names[source]): \(error.message)", cause: error)
    }
  }

  // MARK: Observation

  func observe(_ report: @escaping @Sendable (AuthorizationChange) -> Void) async {
    let id = state.withLock { state in
      state.lastID += 1
      state.observers[state.lastID] = report
      state.steps.append(.greet(state.lastID))
      return state.lastID
    }
    performSteps()
    await withDiscardingTaskGroup { group in
      for (source, policy) in policies.enumerated() {
        // Immediate: a decision that is reported synchronously is in force at once.
        group.addImmediateTask {
          await policy.observe { self.reported($0, of: source) }
        }
      }
      // Answers are reported as well, so the observation lasts until it is cancelled.
      for await _ in AsyncStream.makeStream(of: Never.self).stream {}
      group.cancelAll()
    }
    let removed = state.withLock { $0.observers.removeValue(forKey: id) }
    withExtendedLifetime(removed) {}
  }

  // MARK: Steps

  private func change(_ body: (inout State) -> [SourcePermissions.Step]) {
    state.withLock { state in state.steps += body(&state).map(Step.permission) }
    performSteps()
  }

  /// Performs the steps that wait, unless another thread does.
  private func performSteps() {
    var isPerformer = false
    while let calls = nextCalls(&isPerformer) {
      for call in calls { call() }
    }
  }

  /// The calls of the next step; nil if there is none, or if another thread performs the steps.
  private func nextCalls(_ isPerformer: inout Bool) -> [@Sendable () -> Void]? {
    let wasPerformer = isPerformer
    let calls = state.withLock { state -> [@Sendable () -> Void]? in
      guard wasPerformer || !state.isPerforming else { return nil }
      guard !state.steps.isEmpty else {
        state.isPerforming = false
        return nil
      }
      state.isPerforming = true
      switch state.steps.removeFirst() {
      case .permission(.report(let change)):
        return state.observers.values.map { observer in { observer(change) } }
      case .permission(.admit(let sources)):
        state.permissions.admit(sources)
        let admitted = state.permissions.admitted
        return state.runs.values.map { run in { run(admitted) } }
      case .greet(let id):
        guard reportsEveryDecision, let reported = state.permissions.reported,
          let observer = state.observers[id]
        else { return [] }
        return [
          {
            if !reported.isEnabled { observer(.locationServices(enabled: false)) }
            observer(.decision(reported.decision))
          }
        ]
      }
    }
    isPerformer = calls != nil
    return calls
  }
}
