public import AsyncLocation

/// The backend of
/// ``MockBackend/failing(_:capabilities:run:demandDidChange:authorize:temporaryFullAccuracy:observe:)``.
///
/// Supplies are stored by value: changing a copy affects neither other copies nor a manager that
/// was created with one. All copies share one log and serve one manager.
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

  /// Emits the supplied events, and stores the log.
  let source: MockBackend
  private let times = Locked(SuppliedTimes())
  private let reportLog = Journal<String>()
  let report: @Sendable (String) -> Void
  let runEndpoint: Run?
  let demandEndpoint: DemandDidChange?
  let authorizeEndpoint: Authorize?
  let fullAccuracyEndpoint: TemporaryFullAccuracy?
  let observeEndpoint: Observe?
  private var supplies: [LocationManager.Endpoint: Supply] = [.shutdown: .allowed]

  init(
    source: MockBackend, report: @escaping @Sendable (String) -> Void, runEndpoint: Run?,
    demandEndpoint: DemandDidChange?, authorizeEndpoint: Authorize?,
    fullAccuracyEndpoint: TemporaryFullAccuracy?, observeEndpoint: Observe?
  ) {
    self.source = source
    self.report = report
    self.runEndpoint = runEndpoint
    self.demandEndpoint = demandEndpoint
    self.authorizeEndpoint = authorizeEndpoint
    self.fullAccuracyEndpoint = fullAccuracyEndpoint
    self.observeEndpoint = observeEndpoint
  }

  /// The supply of the test for an endpoint of the manager. If nil, a use of the endpoint is
  /// reported. Initially only `shutdown` is allowed.
  public subscript(endpoint: LocationManager.Endpoint) -> Supply? {
    get { supplies[endpoint] }
    set { supplies[endpoint] = newValue }
  }

  public var capabilities: BackendCapabilities { source.capabilities }
  public var authorizationPolicy: any AuthorizationPolicy { FailingPolicy(backend: self) }

  public func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    if runEndpoint == nil, emitsSuppliedEvents { return try await source.run(demand, emit: emit) }
    source.journal.append(.runStarted(demand))
    defer { source.journal.append(.runEnded) }
    if let runEndpoint { return try await runEndpoint(demand, emit) }
    reportUse(of: "run", parameter: "run")
  }

  public func demandDidChange(_ demand: BackendDemand) async {
    if demandEndpoint == nil, emitsSuppliedEvents { return await source.demandDidChange(demand) }
    source.journal.append(.demandApplied(demand))
    if let demandEndpoint { return await demandEndpoint(demand) }
    reportUse(of: "demandDidChange", parameter: "demandDidChange")
  }

  /// True while a stream with supplied events is open or a call with supplied events waits, and
  /// from the start of a service with supplied events.
  var emitsSuppliedEvents: Bool {
    let snapshot = source.activity.snapshot
    let open = Set(snapshot.openStreams.keys).union(snapshot.waitingCalls.keys)
    return (open.union(source.endpoints.filter(\.startsService))).contains {
      supplies[$0]?.events != nil
    }
  }

  /// Emits events in one batch, as ``MockBackend/MockBackend/emit(_:)-(BackendEvent...)`` does. The
  /// run needs a supply, such as `backend[.updates] = .events()`.
  ///
  /// - Throws: As ``MockBackend/MockBackend/emit(_:)-(BackendEvent...)`` does.
  public func emit(_ events: BackendEvent...) throws(LocationError) { try emit(events) }

  /// Emits events in one batch, as ``emit(_:)-(BackendEvent...)`` does.
  ///
  /// - Throws: As ``emit(_:)-(BackendEvent...)`` does.
  public func emit(_ events: [BackendEvent]) throws(LocationError) {
    times.withLock { $0.emitted(events) }
    try source.emit(events)
  }

  /// Adds a report to the log, and passes it to the test.
  private func record(_ message: String) {
    reportLog.append(message)
    report(message)
  }

  func reportUse(of endpoint: String, parameter: String) {
    record(
      "The backend's '\(endpoint)' was called, which this test did not expect; pass "
        + "'\(parameter):' to MockBackend.failing to supply it.")
  }
}

extension FailingBackend: ManagerObserver {
  package var activity: ActivityLedger { source.activity }

  package func willUse(_ endpoint: LocationManager.Endpoint) -> LocationError? {
    _ = source.willUse(endpoint)
    let supply = supplies[endpoint]
    if let supply, supply.fits(endpoint) { return nil }
    let problem =
      supply.map { "cannot be supplied with \($0)" } ?? "was used, which this test did not expect"
    let message =
      "LocationManager's '\(endpoint)' \(problem); set "
      + "'backend[.\(endpoint)] = \(Supply.hint(for: endpoint))' before the manager is created to "
      + "supply it."
    record(message)
    return LocationError(.unsupported, message)
  }

  package func didOpen(_ endpoint: LocationManager.Endpoint) {
    guard let supply = supplies[endpoint], let events = supply.events else { return }
    do throws(LocationError) {
      let arranged = times.withLock { $0.arranged(events) }
      try source.supply(arranged, ends: supply.ends)
    } catch {
      record(error.message)
    }
  }

  package func didDiscardEvents() { source.didDiscardEvents() }

  package func runDidReturn() { source.runDidReturn() }
}

/// The log and the work in progress, as in a ``MockBackend``.
extension FailingBackend {
  /// The uses of the manager and the calls of the backend so far; see
  /// ``MockBackend/MockBackend/calls``.
  public var calls: [MockBackend.Call] { source.calls }

  /// The endpoints of the manager that the program has used, oldest first.
  public var endpoints: [LocationManager.Endpoint] { source.endpoints }

  /// The reports so far, oldest first.
  ///
  /// The manager's tasks report outside the test's task, so Swift Testing attributes the issue to
  /// no test, and the report is too late if the test has ended. A test that settles and then checks
  /// that this is empty covers every report.
  public var reports: [String] { reportLog.entries }

  /// Waits until a call was made at least `count` times, past calls included, or until the calling
  /// task is cancelled.
  public func waitForCall(_ call: MockBackend.Call, count: Int = 1) async {
    await source.waitForCall(call, count: count)
  }

  /// Returns when every loop has handled the emitted events; see
  /// ``MockBackend/MockBackend/settle()``.
  ///
  /// Does not wait for the closures `run` and `observe`.
  ///
  /// - Throws: As ``MockBackend/MockBackend/settle()`` does.
  public func settle() async throws(LocationError) { try await source.settle() }

  /// Settles, then checks that nothing was reported and nothing is unfinished. Call it at the end
  /// of a test.
  ///
  /// - Throws: `LocationError` with code `unsupported` if there are ``reports`` or there is
  ///   ``unfinishedWork``; the message contains both. Otherwise as ``settle()`` does.
  public func settleAndCheck() async throws(LocationError) {
    try await settle()
    let unfinished = unfinishedWork
    let problems = reports + (unfinished.isEmpty ? [] : ["Unfinished: \(unfinished)."])
    guard problems.isEmpty else {
      throw LocationError(.unsupported, problems.joined(separator: "\n"))
    }
  }

  /// The currently unfinished work; see ``MockBackend/MockBackend/unfinishedWork-swift.property``.
  /// `isRunning` does not include runs of the closure `run`.
  public var unfinishedWork: MockBackend.UnfinishedWork { source.unfinishedWork }
}

extension LocationManager.Endpoint {
  /// Whether the endpoint starts a service or a request that lasts beyond the call.
  fileprivate var startsService: Bool {
    switch self {
    case .requestLocation, .startUpdatingLocation, .startUpdatingHeading, .startMonitoringVisits,
      .startMonitoringSignificantLocationChanges, .startMonitoring:
      true
    default: false
    }
  }
}
