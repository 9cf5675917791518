import AsyncLocation

/// A backend controlled by the world: it can start slowly, stop slowly, emit floods, and fail.
///
// SAFETY: a simulation, including this object, runs on a single thread.
final class SimulatedBackend: LocationBackend, @unchecked Sendable {
  typealias Emit = @Sendable ([BackendEvent]) -> Void

  let capabilities: BackendCapabilities
  let authorizationPolicy: any AuthorizationPolicy
  /// Called with each violation.
  private let onViolation: (Violation) -> Void
  /// The backend to run instead of this one, and the handler of its events; nil if the world emits
  /// the events itself.
  var inner: (any LocationBackend)?
  var forwardEvents: (([BackendEvent], @escaping Emit) -> Void)?
  /// Whether the backend ignores cancellation, to test that the checks detect it.
  var ignoresCancel = false
  /// The number of times that a run yields before it is ready, and before it returns.
  var startDelay = 0
  var stopDelay = 0

  private(set) var isRunning = false
  private(set) var runs = 0
  /// The number of runs that ended without being cancelled.
  private(set) var unrequestedEnds = 0
  /// The latest demand, from the start of the run or a later change.
  private(set) var demand: BackendDemand?
  /// The `emit` closure of the current run.
  private(set) var emit: Emit?
  /// The `emit` closure of the last run, to emit after its end.
  private(set) var staleEmit: Emit?
  private var end: CheckedContinuation<Result<Void, LocationError>, Never>?
  private var isApplying = false
  private var endedAt = 0
  /// The current step, and the step in which the outermost current job began.
  var step: () -> Int = { 0 }
  var jobBeganAt: () -> Int = { 0 }

  init(
    capabilities: BackendCapabilities, policy: any AuthorizationPolicy,
    onViolation: @escaping (Violation) -> Void
  ) {
    self.capabilities = capabilities
    authorizationPolicy = policy
    self.onViolation = onViolation
  }

  func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    requireNoLock("the backend's run")
    if isRunning { onViolation(Violation("O4 overlap", "a run began while another was under way")) }
    isRunning = true
    runs += 1
    self.demand = demand
    defer {
      isRunning = false
      endedAt = step()
      staleEmit = emit
    }
    if let inner {
      defer { if !Task.isCancelled { unrequestedEnds += 1 } }
      return try await inner.run(demand) { [weak self] in self?.forwardEvents?($0, emit) }
    }
    for _ in 0..<startDelay { await Task.yield() }
    self.emit = emit
    defer { self.emit = nil }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation {
        (caller: CheckedContinuation<Result<Void, LocationError>, Never>) in
        if Task.isCancelled { caller.resume(returning: .success(())) } else { end = caller }
      }
    } onCancel: {
      if !ignoresCancel { finish(.success(())) }
    }
    for _ in 0..<stopDelay { await Task.yield() }
    if !Task.isCancelled { unrequestedEnds += 1 }
    try outcome.get()
  }

  func demandDidChange(_ demand: BackendDemand) async {
    requireNoLock("the backend's apply")
    if !isRunning, endedAt < jobBeganAt() {
      onViolation(Violation("O4 apply outside", "a demand was applied outside a run"))
    }
    if isApplying {
      onViolation(Violation("O4 apply twice", "two demands were applied at the same time"))
    }
    if demand == self.demand {
      onViolation(Violation("O4 needless demand", "an unchanged demand was applied again"))
    }
    isApplying = true
    await Task.yield()
    self.demand = demand
    isApplying = false
  }

  /// Ends the current run with an outcome. Returns false if there is no run, or if it is still
  /// starting or already ending.
  @discardableResult
  func finish(_ outcome: Result<Void, LocationError>) -> Bool {
    guard let end else { return false }
    self.end = nil
    end.resume(returning: outcome)
    return true
  }

  private func requireNoLock(_ what: String) {
    if LockWatch.isLockHeld {
      onViolation(Violation("O10 quiet locks", "\(what) was called with a lock held"))
    }
  }
}

/// A policy controlled by the world, which answers requests and changes permission.
///
// SAFETY: a simulation, including this object, runs on a single thread.
final class SimulatedPolicy: AuthorizationPolicy, @unchecked Sendable {
  private let onViolation: (Violation) -> Void
  /// The immediate answer; nil waits for the world.
  var prompt: AuthorizationDecision?
  var initial: AuthorizationDecision?
  /// The number of times that `reducedAccuracyKey()` yields before it returns.
  var keyDelay: () -> Int = { 0 }
  private let key: ReducedAccuracyKey?

  private(set) var report: (@Sendable (AuthorizationChange) -> Void)?
  private(set) var permissionRequests: [AuthorizationRequest] = []
  private(set) var accuracyRequestCount = 0
  private var permissionCaller: CheckedContinuation<AuthorizationDecision, Never>?
  private var accuracyCaller: CheckedContinuation<Duration?, Never>?
  private var observer: CheckedContinuation<Void, Never>?
  private var pendingQuestions = 0
  private(set) var isReporting = false
  /// The number of decisions reported without a request.
  private(set) var changes = 0
  /// The number of events so far that may cause the manager to withdraw a question.
  var withdrawalReasons = 0
  /// Whether no preemption is in progress.
  var isAlone: () -> Bool = { true }
  /// The number of such events whose effects are not complete yet.
  var withdrawalReasonsInProgress = 0
  private(set) var isObserved = false
  /// Whether the policy has granted permission, and has not reported a decision since that
  /// withdraws it.
  private(set) var hasGranted = false

  init(key: ReducedAccuracyKey?, onViolation: @escaping (Violation) -> Void) {
    self.key = key
    self.onViolation = onViolation
  }

  var permissionIsPending: Bool { permissionCaller != nil }
  var accuracyIsPending: Bool { accuracyCaller != nil }
  var hasPendingQuestion: Bool { pendingQuestions > 0 }

  func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
    begin("authorize")
    defer { pendingQuestions -= 1 }
    permissionRequests.append(request)
    if let prompt {
      await Task.yield()
      grantIfAuthorized(prompt)
      return prompt
    }
    // During a preemption, the question may already be withdrawn, so its withdrawal is not checked.
    let reasonsAtRequest = Task.isCancelled || !isAlone() ? nil : Optional(withdrawalReasons)
    let decision = await withTaskCancellationHandler {
      await withCheckedContinuation { (caller: CheckedContinuation<AuthorizationDecision, Never>) in
        if Task.isCancelled {
          caller.resume(returning: .notDetermined)
        } else {
          permissionCaller = caller
        }
      }
    } onCancel: {
      if withdrawalReasons == reasonsAtRequest, withdrawalReasonsInProgress == 0 {
        onViolation(Violation("O7 requests share", "a question was withdrawn without a reason"))
      }
      permissionCaller?.resume(returning: .notDetermined)
      permissionCaller = nil
    }
    // The manager must ignore this late answer to a withdrawn question.
    guard Task.isCancelled else { return decision }
    await Task.yield()
    return .authorizedAlways
  }

  func temporaryFullAccuracy(for purposeKey: String) async -> Duration? {
    begin("temporaryFullAccuracy")
    defer { pendingQuestions -= 1 }
    accuracyRequestCount += 1
    return await withTaskCancellationHandler {
      await withCheckedContinuation { (caller: CheckedContinuation<Duration?, Never>) in
        if Task.isCancelled { caller.resume(returning: nil) } else { accuracyCaller = caller }
      }
    } onCancel: {
      accuracyCaller?.resume(returning: nil)
      accuracyCaller = nil
    }
  }

  func reducedAccuracyKey() async throws(LocationError) -> ReducedAccuracyKey {
    requireNoLock("reducedAccuracyKey")
    for _ in 0..<keyDelay() { await Task.yield() }
    // A decision that waited for the key takes effect now, and may withdraw a question.
    withdrawalReasons += 1
    guard let key else { throw LocationError(.unsupported, "No key here.") }
    return key
  }

  func observe(_ report: @escaping @Sendable (AuthorizationChange) -> Void) async {
    requireNoLock("observe")
    isObserved = true
    defer {
      isObserved = false
      self.report = nil
    }
    self.report = report
    if let initial {
      grantIfAuthorized(initial)
      report(.decision(initial))
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { (caller: CheckedContinuation<Void, Never>) in
        if Task.isCancelled { caller.resume() } else { observer = caller }
      }
    } onCancel: {
      observer?.resume()
      observer = nil
    }
  }

  // MARK: Operations of the world

  /// Answers the pending request for permission. Returns false if there is none.
  @discardableResult
  func answer(_ decision: AuthorizationDecision) -> Bool {
    guard let permissionCaller else { return false }
    self.permissionCaller = nil
    grantIfAuthorized(decision)
    permissionCaller.resume(returning: decision)
    return true
  }

  /// Answers the pending request for full accuracy. Returns false if there is none.
  @discardableResult
  func answerAccuracy(_ duration: Duration?) -> Bool {
    guard let accuracyCaller else { return false }
    self.accuracyCaller = nil
    accuracyCaller.resume(returning: duration)
    return true
  }

  /// Reports a change without a request. Does nothing if the policy is not observed or is already
  /// reporting a change.
  ///
  /// - Parameter leavesAnswers: Whether an earlier answer may still grant permission.
  func change(_ change: AuthorizationChange, leavesAnswers: Bool = false) {
    guard let report, !isReporting else { return }
    isReporting = true  // Concurrent changes would have no order.
    defer { isReporting = false }
    if case .decision(let decision) = change {
      defer { changes += 1 }
      if decision.permission.status.isAuthorized { hasGranted = true }
      report(change)
      if !decision.permission.status.isAuthorized, !leavesAnswers { hasGranted = false }
    } else {
      report(change)
    }
  }

  private func grantIfAuthorized(_ decision: AuthorizationDecision) {
    if decision.permission.status.isAuthorized { hasGranted = true }
  }

  /// Counts a question, and requires that no other is pending.
  private func begin(_ what: String) {
    requireNoLock(what)
    if pendingQuestions > 0 {
      onViolation(Violation("O7 one question at a time", "the policy was asked while it was asked"))
    }
    pendingQuestions += 1
  }

  private func requireNoLock(_ what: String) {
    if LockWatch.isLockHeld {
      onViolation(Violation("O10 quiet locks", "the policy's \(what) was called with a lock held"))
    }
  }
}

/// A violation of a guarantee or invariant.
public struct Violation: Hashable, Sendable {
  /// The name of the guarantee or invariant.
  public let name: String
  /// A description of the observation.
  public let details: String

  init(_ name: String, _ details: String) { (self.name, self.details) = (name, details) }
}
