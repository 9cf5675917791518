public import AsyncLocation

extension MockBackend {
  /// A backend that reports every use of an endpoint that the test did not supply: for tests of
  /// code that must not ask for a location, or only in one way.
  ///
  /// With Swift Testing:
  ///
  /// ```swift
  /// let manager = LocationManager(backend: MockBackend.failing { Issue.record("\($0)") })
  /// ```
  ///
  /// With XCTest:
  ///
  /// ```swift
  /// let manager = LocationManager(backend: MockBackend.failing { XCTFail($0) })
  /// ```
  ///
  /// An endpoint that was not supplied then does the least: `run` returns at once, `apply` does
  /// nothing, `authorize` denies, `temporaryFullAccuracy` declines, and `observe` waits for its
  /// cancellation. A manager observes permission from its creation on, whether it is used or not; so
  /// `observe` is supplied unless the test passes nil. <doc:FailingBackends> says what is reported
  /// when.
  ///
  /// - Parameters:
  ///   - report: Takes a message that names the endpoint and says what to supply. From any thread.
  ///   - capabilities: What the backend claims to report.
  ///   - run: Stands for `LocationBackend.run(_:emit:)`.
  ///   - apply: Stands for `LocationBackend.demandDidChange(_:)`.
  ///   - authorize: Stands for `AuthorizationPolicy.authorize(_:)`.
  ///   - temporaryFullAccuracy: Stands for `AuthorizationPolicy.temporaryFullAccuracy(for:)`.
  ///   - observe: Stands for `AuthorizationPolicy.observe(_:)`; nil to have its use reported.
  public static func failing(
    _ report: @escaping @Sendable (String) -> Void, capabilities: BackendCapabilities = .all,
    run: FailingBackend.Run? = nil, apply: FailingBackend.Apply? = nil,
    authorize: FailingBackend.Authorize? = nil,
    temporaryFullAccuracy: FailingBackend.TemporaryFullAccuracy? = nil,
    observe: FailingBackend.Observe? = FailingBackend.silence
  ) -> FailingBackend {
    FailingBackend(
      capabilities: capabilities, report: report, runEndpoint: run, applyEndpoint: apply,
      authorizeEndpoint: authorize, fullAccuracyEndpoint: temporaryFullAccuracy,
      observeEndpoint: observe)
  }
}

/// What ``MockBackend/failing(_:capabilities:run:apply:authorize:temporaryFullAccuracy:observe:)`` makes.
public struct FailingBackend: LocationBackend {
  /// The type of `LocationBackend.run(_:emit:)`.
  public typealias Run =
    @Sendable (BackendDemand, @escaping @Sendable ([BackendEvent]) -> Void) async throws -> Void
  /// The type of `LocationBackend.demandDidChange(_:)`.
  public typealias Apply = @Sendable (BackendDemand) async -> Void
  /// The type of `AuthorizationPolicy.authorize(_:)`.
  public typealias Authorize = @Sendable (AuthorizationRequest) async -> AuthorizationDecision
  /// The type of `AuthorizationPolicy.temporaryFullAccuracy(for:)`.
  public typealias TemporaryFullAccuracy = @Sendable (String) async -> Duration?
  /// The type of `AuthorizationPolicy.observe(_:)`.
  public typealias Observe =
    @Sendable (@escaping @Sendable (AuthorizationChange) -> Void) async -> Void

  /// Observes that nothing changes, until cancelled.
  public static let silence: Observe = { _ in _ = await Promise<Never>().value() }

  private struct Policy: AuthorizationPolicy {
    let backend: FailingBackend

    func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
      if let authorize = backend.authorizeEndpoint { return await authorize(request) }
      backend.reportUse(of: "authorize(.\(request))", parameter: "authorize")
      return .denied
    }

    func temporaryFullAccuracy(for purposeKey: String) async -> Duration? {
      if let answer = backend.fullAccuracyEndpoint { return await answer(purposeKey) }
      backend.reportUse(
        of: "temporaryFullAccuracy(for: \"\(purposeKey)\")", parameter: "temporaryFullAccuracy")
      return nil
    }

    func observe(_ report: @escaping @Sendable (AuthorizationChange) -> Void) async {
      if let observe = backend.observeEndpoint { return await observe(report) }
      backend.reportUse(of: "observe", parameter: "observe")
      await FailingBackend.silence(report)
    }
  }

  public let capabilities: BackendCapabilities
  fileprivate let report: @Sendable (String) -> Void
  fileprivate let runEndpoint: Run?
  fileprivate let applyEndpoint: Apply?
  fileprivate let authorizeEndpoint: Authorize?
  fileprivate let fullAccuracyEndpoint: TemporaryFullAccuracy?
  fileprivate let observeEndpoint: Observe?

  public var authorizationPolicy: any AuthorizationPolicy { Policy(backend: self) }

  public func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    if let runEndpoint { return try await runEndpoint(demand, emit) }
    reportUse(of: "run", parameter: "run")
  }

  public func demandDidChange(_ demand: BackendDemand) async {
    if let applyEndpoint { return await applyEndpoint(demand) }
    reportUse(of: "apply", parameter: "apply")
  }

  fileprivate func reportUse(of endpoint: String, parameter: String) {
    report(
      "The backend's '\(endpoint)' was called, which this test did not expect; pass "
        + "'\(parameter):' to MockBackend.failing to supply it.")
  }
}
