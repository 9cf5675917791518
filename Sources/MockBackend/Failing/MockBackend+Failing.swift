public import AsyncLocation

extension MockBackend {
  /// Creates a backend that reports each use of an endpoint, of its manager or of the backend, that
  /// the test did not supply. Use it to test code that must not request a location, or must use
  /// only certain endpoints.
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
  /// Endpoints of the manager are supplied one by one, before the manager is created:
  ///
  /// ```swift
  /// var backend = MockBackend.failing { Issue.record("\($0)") }
  /// backend[.location] = .allowed
  /// backend[.currentLocation] = .locations(harbour)
  /// let manager = LocationManager(backend: backend, clock: ManualClock())
  /// ```
  ///
  /// The parameters supply the endpoints of the backend and its policy, for tests that implement
  /// them. After the report, an endpoint that was not supplied does as little as possible: `run`
  /// returns immediately, `demandDidChange` does nothing, `authorize` denies,
  /// `temporaryFullAccuracy` declines, and `observe` waits for its cancellation. Every manager
  /// observes permission from its creation, so `observe` is supplied unless the test passes nil.
  /// <doc:FailingBackends> lists what an unsupplied endpoint of the manager does.
  ///
  /// - Parameters:
  ///   - report: Receives a message that names the endpoint and states how to supply it. Called on
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
      source: MockBackend(capabilities: capabilities, authorization: .asking), report: report,
      runEndpoint: run,
      demandEndpoint: demandDidChange, authorizeEndpoint: authorize,
      fullAccuracyEndpoint: temporaryFullAccuracy, observeEndpoint: observe)
  }
}
