import AsyncLocation

/// Answers requests with the test's supplies, and reports requests without a supply.
struct FailingPolicy: AuthorizationPolicy {
  let backend: FailingBackend

  func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
    let endpoint: LocationManager.Endpoint =
      switch request {
      case .whenInUse: .requestWhenInUseAuthorization
      case .always: .requestAlwaysAuthorization
      }
    if backend.authorizeEndpoint == nil, backend[endpoint] == .later {
      return await backend.source.policy.authorize(request)  // It logs the request.
    }
    backend.source.journal.append(.authorizationRequested(request))
    if let authorize = backend.authorizeEndpoint { return await authorize(request) }
    if let decision = backend[endpoint]?.decision { return decision }
    if backend.emitsSuppliedEvents {
      return request == .always ? .authorizedAlways : .authorizedWhenInUse
    }
    backend.reportUse(of: "authorize(.\(request))", parameter: "authorize")
    return .denied
  }

  func temporaryFullAccuracy(for purposeKey: String) async -> Duration? {
    if backend.fullAccuracyEndpoint == nil,
      backend[.requestTemporaryFullAccuracyAuthorization] == .later
    {
      return await backend.source.policy.temporaryFullAccuracy(for: purposeKey)
    }
    backend.source.journal.append(.fullAccuracyRequested(purposeKey: purposeKey))
    if let answer = backend.fullAccuracyEndpoint { return await answer(purposeKey) }
    if let duration = backend[.requestTemporaryFullAccuracyAuthorization]?.fullAccuracy {
      return duration
    }
    backend.reportUse(
      of: "temporaryFullAccuracy(for: \"\(purposeKey)\")", parameter: "temporaryFullAccuracy")
    return nil
  }

  func reducedAccuracyKey() async throws(LocationError) -> ReducedAccuracyKey {
    try await backend.source.authorizationPolicy.reducedAccuracyKey()
  }

  func observe(_ report: @escaping @Sendable (AuthorizationChange) -> Void) async {
    if let decision = suppliedDecision { report(.decision(decision)) }
    if backend.observeEndpoint == nil { backend.reportUse(of: "observe", parameter: "observe") }
    await backend.source.policy.observe(report) { await backend.observeEndpoint?($0) }
  }

  /// The decision that is initially in effect.
  private var suppliedDecision: AuthorizationDecision? {
    FailingBackend.Supply.reportingPermission.lazy.compactMap { backend[$0]?.decision }.first
  }
}
