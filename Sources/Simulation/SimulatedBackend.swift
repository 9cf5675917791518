import AsyncLocation

/// A backend controlled by the world: it can start slowly, stop slowly, emit floods, and fail.
///
// SAFETY: a simulation, including this object, runs on a single thread.
final class SimulatedBackend: LocationBackend, @unchecked Sendable {
  typealias Emit = @Sendable ([BackendEvent]) -> Void

  let capabilities: BackendCapabilities
  let authorizationPolicy: any AuthorizationPolicy
  /// Called with each violation.
  private let isWrong: (Violation) -> Void
  /// The backend that is run, and the handler of its events; nil when the world emits the events
  /// itself.
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
  private(set) var endedByItself = 0
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
  var jobBegan: () -> Int = { 0 }

  init(
    capabilities: BackendCapabilities, policy: any AuthorizationPolicy,
    isWrong: @escaping (Violation) -> Void
  ) {
    self.capabilities = capabilities
    authorizationPolicy = policy
    self.isWrong = isWrong
  }

  func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    requireNoLock("the backend's run")
    if isRunning { isWrong(Violation("O4 overlap", "a run began while another was under way")) }
    isRunning = true
    runs += 1
    self.demand = demand
    defer {
      isRunning = false
      endedAt = step()
      staleEmit = emit
    }
    if let inner {
      defer { if !Task.isCancelled { endedByItself += 1 } }
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
    if !Task.isCancelled { endedByItself += 1 }
    try outcome.get()
  }

  func demandDidChange(_ demand: BackendDemand) async {
    requireNoLock("the backend's apply")
    if !isRunning, endedAt < jobBegan() {
      isWrong(Violation("O4 apply outside", "a demand was applied outside a run"))
    }
    if isApplying {
      isWrong(Violation("O4 apply twice", "two demands were applied at the same time"))
    }
    if demand == self.demand {
      isWrong(Violation("O4 needless demand", "an unchanged demand was applied again"))
    }
    isApplying = true
    await Task.yield()
    self.demand = demand
    isApplying = false
  }

  /// Ends the current run; false when there is none.
  @discardableResult
  func finish(_ outcome: Result<Void, LocationError>) -> Bool {
    guard let end else { return false }
    self.end = nil
    end.resume(returning: outcome)
    return true
  }

  private func requireNoLock(_ what: String) {
    if LockWatch.isLockHeld {
      isWrong(Violation("O10 quiet locks", "\(what) was called with a lock held"))
    }
  }
}

/// A policy controlled by the world, which answers requests and changes permission.
///
// SAFETY: a simulation, including this object, runs on a single thread.
final class SimulatedPolicy: AuthorizationPolicy, @unchecked Sendable {
  private let isWrong: (Violation) -> Void
  /// The immediate answer; nil waits for the world.
  var prompt: AuthorizationDecision?
  var initial: AuthorizationDecision?
  /// The number of times that `reducedAccuracyKey()` yields before it returns.
  var keyDelay: () -> Int = { 0 }
  private let key: ReducedAccuracyKey?

  private(set) var report: (@Sendable (AuthorizationChange) -> Void)?
  private(set) var permissionRequests: [AuthorizationRequest] = []
  private(set) var accuracyRequestCount = 0
  private var permission: CheckedContinuation<AuthorizationDecision, Never>?
  private var accuracy: CheckedContinuation<Duration?, Never>?
  private var observer: CheckedContinuation<Void, Never>?
  private var pendingQuestions = 0
  private(set) var isReporting = false
  /// The number of decisions reported without a request.
  private(set) var changes = 0
  /// The number of events after which a question may be withdrawn.
  var reasons = 0
  /// Whether no preemption is in progress.
  var isAlone: () -> Bool = { true }
  /// The number of events in progress after which a question may be withdrawn.
  var reasonsUnderway = 0
  private(set) var isObserved = false
  /// Whether the policy has granted permission and has not refused it since.
  private(set) var mayGrant = false

  init(key: ReducedAccuracyKey?, isWrong: @escaping (Violation) -> Void) {
    self.key = key
    self.isWrong = isWrong
  }

  var permissionIsPending: Bool { permission != nil }
  var accuracyIsPending: Bool { accuracy != nil }
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
    // During a preemption, the question may already be withdrawn.
    let asked = Task.isCancelled || !isAlone() ? nil : Optional(reasons)
    let decision = await withTaskCancellationHandler {
      await withCheckedContinuation { (caller: CheckedContinuation<AuthorizationDecision, Never>) in
        if Task.isCancelled {
          caller.resume(returning: .notDetermined)
        } else {
          permission = caller
        }
      }
    } onCancel: {
      if reasons == asked, reasonsUnderway == 0 {
        isWrong(Violation("O7 requests share", "a question was withdrawn without a reason"))
      }
      permission?.resume(returning: .notDetermined)
      permission = nil
    }
    // A late answer after cancellation must be ignored.
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
        if Task.isCancelled { caller.resume(returning: nil) } else { accuracy = caller }
      }
    } onCancel: {
      accuracy?.resume(returning: nil)
      accuracy = nil
    }
  }

  func reducedAccuracyKey() async throws(LocationError) -> ReducedAccuracyKey {
    requireNoLock("reducedAccuracyKey")
    for _ in 0..<keyDelay() { await Task.yield() }
    reasons += 1  // A decision that waited for the key takes effect.
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

  @discardableResult
  func answer(_ decision: AuthorizationDecision) -> Bool {
    guard let permission else { return false }
    self.permission = nil
    grantIfAuthorized(decision)
    permission.resume(returning: decision)
    return true
  }

  @discardableResult
  func answerAccuracy(_ duration: Duration?) -> Bool {
    guard let accuracy else { return false }
    self.accuracy = nil
    accuracy.resume(returning: duration)
    return true
  }

  func change(_ change: AuthorizationChange, leavesAnswers: Bool = false) {
    guard let report, !isReporting else { return }
    isReporting = true  // Concurrent changes would have no order.
    defer { isReporting = false }
    if case .decision(let decision) = change {
      defer { changes += 1 }
      if decision.permission.status.isAuthorized { mayGrant = true }
      report(change)
      if !decision.permission.status.isAuthorized, !leavesAnswers { mayGrant = false }
    } else {
      report(change)
    }
  }

  private func grantIfAuthorized(_ decision: AuthorizationDecision) {
    if decision.permission.status.isAuthorized { mayGrant = true }
  }

  private func begin(_ what: String) {
    requireNoLock(what)
    if pendingQuestions > 0 {
      isWrong(Violation("O7 one question at a time", "the policy was asked while it was asked"))
    }
    pendingQuestions += 1
  }

  private func requireNoLock(_ what: String) {
    if LockWatch.isLockHeld {
      isWrong(Violation("O10 quiet locks", "the policy's \(what) was called with a lock held"))
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
