import AsyncLocation

/// The policy that a test provides, with a log of the requests to it.
struct LoggedPolicy: AuthorizationPolicy {
  let base: any AuthorizationPolicy
  /// Reports the changes that the test makes.
  let changes: MockAuthorizationPolicy
  let journal: Journal<MockBackend.Call>

  var reportsEveryDecision: Bool { base.reportsEveryDecision }

  func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
    journal.append(.authorizationRequested(request))
    let decision = await base.authorize(request)
    if Task.isCancelled { journal.append(.authorizationCancelled(request)) }
    return decision
  }

  func temporaryFullAccuracy(for purposeKey: String) async -> Duration? {
    journal.append(.fullAccuracyRequested(purposeKey: purposeKey))
    let duration = await base.temporaryFullAccuracy(for: purposeKey)
    if Task.isCancelled { journal.append(.fullAccuracyCancelled(purposeKey: purposeKey)) }
    return duration
  }

  func reducedAccuracyKey() async throws(LocationError) -> ReducedAccuracyKey {
    try await base.reducedAccuracyKey()
  }

  func observe(_ report: @escaping @Sendable (AuthorizationChange) -> Void) async {
    await changes.observe(report) { await base.observe($0) }
  }
}
