public import AsyncLocation

extension MockBackend {
  /// A use of the manager by the program, or a call that the backend received from the manager.
  @nonexhaustive
  public enum Call: Sendable, Hashable {
    /// The program used an endpoint of the manager. Logged before the endpoint has an effect, so it
    /// precedes the calls of the backend that result from it.
    case endpoint(LocationManager.Endpoint)
    /// A run started with a demand.
    case runStarted(BackendDemand)
    /// A run was refused because another one was in progress. A manager must not cause this.
    case runRefused(BackendDemand)
    /// The demand changed.
    case demandApplied(BackendDemand)
    /// A run ended; nothing more is emitted into it.
    case runEnded
    /// Permission was requested from the policy.
    case authorizationRequested(AuthorizationRequest)
    /// A pending request for permission was cancelled.
    case authorizationCancelled(AuthorizationRequest)
    /// Full accuracy was requested from the policy.
    case fullAccuracyRequested(purposeKey: String)
    /// A pending request for full accuracy was cancelled.
    case fullAccuracyCancelled(purposeKey: String)
  }

  /// The uses of the manager and the calls of the backend so far, oldest first. At 20,000 calls the
  /// older half of the log is dropped.
  public var calls: [Call] { journal.entries }

  /// The calls so far that reached the backend: ``calls`` without the uses of the manager.
  public var backendCalls: [Call] {
    calls { if case .endpoint = $0 { false } else { true } }
  }

  /// The endpoints of the manager that the program has used, oldest first.
  ///
  /// ```swift
  /// #expect(backend.endpoints == [.updates, .location])
  /// ```
  public var endpoints: [LocationManager.Endpoint] {
    calls.compactMap { if case .endpoint(let endpoint) = $0 { endpoint } else { nil } }
  }

  /// The calls so far that satisfy a condition, oldest first.
  public func calls(where isIncluded: (Call) -> Bool) -> [Call] { calls.filter(isIncluded) }

  /// Waits until at least `count` calls satisfy a condition, past calls included.
  ///
  /// - Returns: The calls that satisfy the condition; fewer than `count` only if the calling task
  ///   was cancelled.
  @discardableResult
  public func waitForCall(
    count: Int = 1, where isIncluded: (Call) -> Bool
  ) async -> [Call] {
    _ = await journal.wait { calls(where: isIncluded).count >= count }
    return calls(where: isIncluded)
  }

  /// Waits until a call was made at least `count` times, past calls included, or until the calling
  /// task is cancelled.
  ///
  /// ```swift
  /// await backend.waitForCall(.authorizationRequested(.whenInUse))
  /// backend.answerAuthorization(.authorizedWhenInUse)
  /// ```
  public func waitForCall(_ call: Call, count: Int = 1) async {
    await waitForCall(count: count) { $0 == call }
  }
}
