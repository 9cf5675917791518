public import AsyncLocation

extension MockBackend {
  /// What a manager asked of a ``MockBackend``.
  @nonexhaustive
  public enum Call: Sendable, Hashable {
    /// A run began, with what was asked for at its start.
    case runStarted(BackendDemand)
    /// A run was refused, since another was under way: a manager must not do that.
    case runRefused(BackendDemand)
    /// The demand changed.
    case demandApplied(BackendDemand)
    /// A run is over, and nothing more is emitted into it.
    case runEnded
    /// The policy was asked for permission.
    case authorizationRequested(AuthorizationRequest)
    /// A request that waited for its answer was cancelled.
    case authorizationCancelled(AuthorizationRequest)
    /// The policy was asked for full accuracy.
    case fullAccuracyRequested(purposeKey: String)
    /// A request for full accuracy that waited for its answer was cancelled.
    case fullAccuracyCancelled(purposeKey: String)
  }

  /// The calls so far, oldest first. Of a log that grows beyond 20,000 the older half is dropped.
  public var calls: [Call] { journal.entries }

  /// The calls so far that a condition accepts, oldest first.
  public func calls(where isIncluded: (Call) -> Bool) -> [Call] { calls.filter(isIncluded) }

  /// Waits until as many calls as asked fulfil a condition, those of the past included.
  ///
  /// - Returns: The calls that do, fewer only when the calling task is cancelled.
  @discardableResult
  public func waitForCall(
    count: Int = 1, where isIncluded: (Call) -> Bool
  ) async -> [Call] {
    _ = await journal.wait { calls(where: isIncluded).count >= count }
    return calls(where: isIncluded)
  }

  /// Waits until a call was made as often as asked, those of the past included, or until the
  /// calling task is cancelled.
  ///
  /// ```swift
  /// await backend.waitForCall(.authorizationRequested(.whenInUse))
  /// backend.answerAuthorization(.authorizedWhenInUse)
  /// ```
  public func waitForCall(_ call: Call, count: Int = 1) async {
    await waitForCall(count: count) { $0 == call }
  }
}
