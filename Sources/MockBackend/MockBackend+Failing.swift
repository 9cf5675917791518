public import AsyncLocation

extension MockBackend {
  /// Creates a backend that reports every use of an endpoint that the test did not supply. Use it
  /// to test code that must not ask for a location, or must use only certain endpoints.
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
  /// After the report, an endpoint that was not supplied does as little as possible: `run` returns
  /// immediately, `demandDidChange` does nothing, `authorize` denies, `temporaryFullAccuracy` declines, and
  /// `observe` waits for its cancellation. Every manager observes permission from its creation, so
  /// `observe` is supplied unless the test passes nil. <doc:FailingBackends> lists when each
  /// endpoint is used.
  ///
  /// - Parameters:
  ///   - report: Receives a message that names the endpoint and the parameter to supply. Called on
  ///     any thread.
  ///   - capabilities: The features that the backend declares.
  ///   - run: Implements `LocationBackend.run(_:emit:)`.
  ///   - demandDidChange: Implements `LocationBackend.demandDidChange(_:)`.
  ///   - authorize: Implements `AuthorizationPolicy.authorize(_:)`.
  ///   - temporaryFullAccuracy: Implements `AuthorizationPolicy.temporaryFullAccuracy(for:)`.
  ///   - observe: Implements `AuthorizationPolicy.observe(_:)`; nil reports its use.
  public static func failing(
    _ report: @escaping @Sendable (String) -> Void, capabilities: BackendCapabilities = .all,
    run: FailingBackend.Run? = nil, demandDidChange: FailingBackend.DemandDidChange? = nil,
    authorize: FailingBackend.Authorize? = nil,
    temporaryFullAccuracy: FailingBackend.TemporaryFullAccuracy? = nil,
    observe: FailingBackend.Observe? = FailingBackend.silence
  ) -> FailingBackend {
    FailingBackend(
      capabilities: capabilities, report: report, runEndpoint: run, demandEndpoint: demandDidChange,
      authorizeEndpoint: authorize, fullAccuracyEndpoint: temporaryFullAccuracy,
      observeEndpoint: observe)
  }
}

/// The backend of
/// ``MockBackend/failing(_:capabilities:run:demandDidChange:authorize:temporaryFullAccuracy:observe:)``.
public struct FailingBackend: LocationBackend {
  /// The type of `LocationBackend.run(_:emit:)`.
  public typealias Run =
    @Sendable (BackendDemand, @escaping @Sendable ([BackendEvent]) -> Void) async throws -> Void
  /// The type of `LocationBackend.demandDidChange(_:)`.
  public typealias DemandDidChange = @Sendable (BackendDemand) async -> Void
  /// The type of `AuthorizationPolicy.authorize(_:)`.
  public typealias Authorize = @Sendable (AuthorizationRequest) async -> AuthorizationDecision
  /// The type of `AuthorizationPolicy.temporaryFullAccuracy(for:)`.
  public typealias TemporaryFullAccuracy = @Sendable (String) async -> Duration?
  /// The type of `AuthorizationPolicy.observe(_:)`.
  public typealias Observe =
    @Sendable (@escaping @Sendable (AuthorizationChange) -> Void) async -> Void

  /// Reports no change and returns when cancelled.
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
  fileprivate let demandEndpoint: DemandDidChange?
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
    if let demandEndpoint { return await demandEndpoint(demand) }
    reportUse(of: "demandDidChange", parameter: "demandDidChange")
  }

  fileprivate func reportUse(of endpoint: String, parameter: String) {
    report(
      "The backend's '\(endpoint)' was called, which this test did not expect; pass "
        + "'\(parameter):' to MockBackend.failing to supply it.")
  }
}
