import AsyncLocation

/// Answers requests as the test configures, immediately or later, and reports the changes that the
/// test makes.
final class MockAuthorizationPolicy: AuthorizationPolicy {
  private struct State {
    var authorization: MockAuthorization
    var decision: AuthorizationDecision?
    var servicesEnabled: Bool?
    var permissionAnswers = PendingAnswers<AuthorizationRequest, AuthorizationDecision>()
    var fullAccuracyAnswers = PendingAnswers<String, Duration?>()
    var observers: [Int: SerialDeliveryQueue<AuthorizationChange>] = [:]
    var lastObserver = 0
  }

  private let state: Locked<State>
  private let journal: Journal<MockBackend.Call>
  private let activity: ActivityLedger
  private let key = Result { () throws(LocationError) in
    try ReducedAccuracyKey.ofTests.withOwnTracks()
  }

  init(
    _ authorization: MockAuthorization, journal: Journal<MockBackend.Call>,
    activity: ActivityLedger
  ) {
    self.activity = activity
    state = Locked(State(authorization: authorization, decision: authorization.initialDecision))
    self.journal = journal
  }

  // MARK: Requests

  var pending: [AuthorizationRequest] { state.withLock { $0.permissionAnswers.subjects } }
  var pendingFullAccuracy: [String] { state.withLock { $0.fullAccuracyAnswers.subjects } }

  func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
    let answer = state.withLock { state in
      switch state.authorization.nextAnswer(to: request) {
      case .now(let decision): state.permissionAnswers.answered(decision)
      case .later: state.permissionAnswers.open(request)
      }
    }
    journal.append(.authorizationRequested(request))  // Last: a waiting test finds it pending.
    if let decision = await answer.promise.value() { return decision }
    state.withLock { $0.permissionAnswers.drop(answer) }
    journal.append(.authorizationCancelled(request))
    return .notDetermined
  }

  func temporaryFullAccuracy(for purposeKey: String) async -> Duration? {
    let answer = state.withLock { state in
      switch state.authorization.nextFullAccuracyAnswer() {
      case .now(let duration): state.fullAccuracyAnswers.answered(duration)
      case .later: state.fullAccuracyAnswers.open(purposeKey)
      }
    }
    journal.append(.fullAccuracyRequested(purposeKey: purposeKey))
    if let duration = await answer.promise.value() { return duration }
    state.withLock { $0.fullAccuracyAnswers.drop(answer) }
    journal.append(.fullAccuracyCancelled(purposeKey: purposeKey))
    return nil
  }

  /// Answers the oldest pending request of a kind, or of any kind. Returns false if none is
  /// pending.
  func answer(_ decision: AuthorizationDecision, to request: AuthorizationRequest?) -> Bool {
    let promise = state.withLock { state in
      state.permissionAnswers.take { request == nil || $0 == request }
    }
    promise?.fulfill(decision)
    return promise != nil
  }

  /// Answers the oldest pending request for full accuracy. Returns false if none is pending.
  func answerFullAccuracy(_ duration: Duration?) -> Bool {
    let promise = state.withLock { $0.fullAccuracyAnswers.take { _ in true } }
    promise?.fulfill(duration)
    return promise != nil
  }

  /// A fixed key, so that reduced locations are equal in every process. The reduced tracks of the
  /// key are not shared with other policies.
  func reducedAccuracyKey() throws(LocationError) -> ReducedAccuracyKey {
    try key.get()
  }

  // MARK: Changes

  func observe(_ report: @escaping @Sendable (AuthorizationChange) -> Void) async {
    let queue = SerialDeliveryQueue<AuthorizationChange>(activity: activity)
    let id = state.withLock { state in
      state.lastObserver += 1
      state.observers[state.lastObserver] = queue
      if let enabled = state.servicesEnabled {
        _ = queue.enqueue(.locationServices(enabled: enabled))
      }
      if let decision = state.decision { _ = queue.enqueue(.decision(decision)) }
      return state.lastObserver
    }
    queue.attach { change in
      report(change)
      return true
    }
    _ = await Promise<Never>().value()  // Until cancelled.
    state.withLock { _ = $0.observers.removeValue(forKey: id) }
    await queue.detach()
  }

  /// Reports the test's changes and the changes that a closure reports, until cancelled. Changes
  /// that either of them reports before it first suspends are reported before this call first
  /// suspends.
  func observe(
    _ report: @escaping @Sendable (AuthorizationChange) -> Void,
    beside other: (@escaping @Sendable (AuthorizationChange) -> Void) async -> Void
  ) async {
    await withTaskGroup { group in
      group.addImmediateTask { await self.observe(report) }
      await other(report)
    }
  }

  /// Makes a change and reports it to all observers.
  func set(_ change: AuthorizationChange) {
    let observers = state.withLock { state in
      switch change {
      case .decision(let decision): state.decision = decision
      case .locationServices(let enabled): state.servicesEnabled = enabled
      case .withdrawal: break
      }
      // Enqueued under the lock, so that all observers receive changes in the same order.
      for observer in state.observers.values { _ = observer.enqueue(change) }
      return Array(state.observers.values)
    }
    for observer in observers { observer.deliver() }
  }
}

extension ReducedAccuracyKey {
  /// The key of every policy of the test kit. Each policy uses the key with its own reduced tracks.
  fileprivate static var ofTests: Self {
    get throws(LocationError) { try Self(bytes: Array(0..<32)) }
  }
}
