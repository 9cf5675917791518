import AsyncLocation

extension BackendConformance {
  private static var demand: BackendDemand { BackendDemand(kinds: .all) }
  /// The number of concurrent calls of `produceLocation`, large enough that a backend that does not
  /// serialize its emissions is likely to emit concurrently.
  private static var concurrentCalls: Int { 8 }

  private func makeRun(_ subject: Subject) -> SupervisedRun {
    SupervisedRun(
      capabilities: subject.backend.capabilities, duringEmission: duringEmission)
  }

  /// Checks two consecutive runs, and demand changes and emissions during and between them.
  func checkRuns(_ subject: Subject) async -> [BackendViolation] {
    let backend = subject.backend
    let capabilities = backend.capabilities
    var found: [BackendViolation] = []
    func checkCapabilities(_ moment: String) {
      guard backend.capabilities != capabilities else { return }
      found.append(.init(.keepsCapabilities, "The capabilities changed \(moment)."))
    }

    let first = makeRun(subject)
    first.start(backend, Self.demand)
    if let problem = await problemReceiving(first, subject) {
      first.cancel()
      return [.init(.producesLocations, problem)] + first.violations + errors(of: first)
    }
    checkCapabilities("during a run")
    found += await checkDemand(backend, "during a run")
    await withTaskGroup { group in
      for _ in 0..<Self.concurrentCalls { group.addTask { await produce(subject, during: first) } }
    }
    if let problem = await problemReceiving(first, subject) {
      found.append(.init(.producesLocations, problem))
    }
    found += await stop(first, .producesLocations)
    guard first.outcome.isFulfilled else { return found + first.violations }

    // A backend that still retains the first run's closure calls it here or in the second run.
    _ = await timeLimit.finishes { await produceLocation(subject, for: first, listeners: 0) }
    found += await checkDemand(backend, "outside of a run")
    checkCapabilities("after a run")
    let second = makeRun(subject)
    second.start(backend, Self.demand)
    if let problem = await problemReceiving(second, subject) {
      found.append(.init(.runsAgain, "The second run: \(problem)"))
    }
    found += await stop(second, .runsAgain)
    checkCapabilities("after the second run")
    return found + first.violations + second.violations
  }

  /// Checks runs that are cancelled before or at their start, and a normal run after them.
  func checkCancellationAtStart(_ subject: Subject) async -> [BackendViolation] {
    var runs: [SupervisedRun] = []
    for isCancelledBefore in [true, false, true, false] {
      let run = makeRun(subject)
      runs.append(run)
      let outcome = await timeLimit.value(of: run.outcome) {
        run.start(subject.backend, Self.demand, cancelled: isCancelledBefore)
        run.cancel()
      }
      guard outcome != nil else {
        let moment = isCancelledBefore ? "before it started" : "as it started"
        return [
          .init(.returnsWhenCancelledAtStart, "A run cancelled \(moment) does not return.")
        ]
      }
    }
    let last = makeRun(subject)
    last.start(subject.backend, Self.demand)
    var found: [BackendViolation] = []
    if let problem = await problemReceiving(last, subject) {
      found.append(.init(.runsAgain, "After runs that were cancelled at their start: \(problem)"))
    }
    found += await stop(last, .runsAgain)
    return found + runs.flatMap(\.violations) + last.violations
  }

  /// Checks two concurrent runs, as when two managers share one backend.
  func checkTwoRuns(_ subject: Subject) async -> [BackendViolation] {
    let first = makeRun(subject)
    let second = makeRun(subject)
    first.start(subject.backend, Self.demand)
    // A backend that fails here is reported by `checkRuns`.
    guard await problemReceiving(first, subject) == nil else {
      first.cancel()
      return []
    }
    var found: [BackendViolation] = []
    var production: Task<Void, Never>?
    let didArrive = await timeLimit.value(of: second.locations(1)) {
      second.start(subject.backend, Self.demand)
      production = Task { await produceLocation(subject, for: second, listeners: 2) }
    }
    production?.cancel()
    if let problem = await problemReceiving(first, subject) {
      found.append(
        .init(.sharesOrRefusesSecondRun, "While a second run is active, the first: \(problem)"))
    }
    if let problem = problem(ofSecond: second, hasLocation: didArrive == true) {
      found.append(.init(.sharesOrRefusesSecondRun, problem))
    }
    if !second.outcome.isFulfilled { found += await stop(second, .sharesOrRefusesSecondRun) }
    found += await stop(first, .sharesOrRefusesSecondRun)
    return found + first.violations + second.violations
  }

  /// The problem with the second of two concurrent runs; nil if it works or was refused with a
  /// `LocationError`.
  private func problem(ofSecond run: SupervisedRun, hasLocation: Bool) -> String? {
    switch run.outcome.current {
    case nil: hasLocation ? nil : "The second run neither receives a location nor fails."
    case .threw(let error) where error is LocationError: nil
    case .threw(let error):
      "The second run failed with \(type(of: error)), not with a LocationError."
    case .returned: "The second run returned as if the source had ended."
    }
  }

  /// Checks that requests for permission and the observation of permission end when cancelled.
  func checkAuthorization(_ subject: Subject) async -> [BackendViolation] {
    let policy = subject.backend.authorizationPolicy
    var found: [BackendViolation] = []
    for request in AuthorizationRequest.allCases
    where await !timeLimit.finishesWhenCancelled({ _ = await policy.authorize(request) }) {
      found.append(
        .init(.answersAuthorization, "authorize(.\(request)) does not return when cancelled."))
    }
    if await !timeLimit.finishesWhenCancelled({ _ = await policy.temporaryFullAccuracy(for: "any") }
    ) {
      found.append(
        .init(.answersAuthorization, "temporaryFullAccuracy does not return when cancelled."))
    }
    if await !timeLimit.finishesWhenCancelled({ await policy.observe { _ in } }) {
      found.append(.init(.stopsObserving, "observe does not return when cancelled."))
    }
    return found
  }

  /// Checks that the backend returns from a change of demand.
  private func checkDemand(
    _ backend: any LocationBackend, _ moment: String
  ) async -> [BackendViolation] {
    let demand = BackendDemand(kinds: .locations, desiredAccuracy: .hundredMeters)
    if await timeLimit.finishes({ await backend.demandDidChange(demand) }) { return [] }
    return [.init(.takesDemand, "demandDidChange does not return \(moment).")]
  }

  /// Makes the source produce a location. If that throws, the error is added to the run's
  /// violations.
  private func produceLocation(
    _ subject: Subject, for run: SupervisedRun, listeners: Int
  ) async {
    do {
      try await subject.produceLocation(listeners)
    } catch  where !Task.isCancelled {
      run.note(.init(.producesLocations, "produceLocation(\(listeners)) threw: \(error)"))
    } catch {}
  }

  /// Produces a location and waits until the run receives it. Returns a description of the problem
  /// if the run does not receive it.
  private func problemReceiving(_ run: SupervisedRun, _ subject: Subject) async -> String? {
    let nextLocation = run.locations(run.locationCount + 1)
    var production: Task<Void, Never>?
    defer { production?.cancel() }
    let didArrive = await timeLimit.value(of: nextLocation) {
      production = Task { await produceLocation(subject, for: run, listeners: 1) }
    }
    switch didArrive {
    case true?: return nil
    case nil: return "It receives no location, although the source produces one."
    case false?:
      guard case .threw(let error)? = await run.outcome.value() else {
        return "It returned without being cancelled."
      }
      return "It failed without being cancelled: \(error)"
    }
  }

  /// Produces a location for a run; stops waiting when the run ends.
  private func produce(_ subject: Subject, during run: SupervisedRun) async {
    let done = Promise<Void>()
    let watcher = Task {
      if await run.outcome.value() != nil { done.fulfill(()) }
    }
    var production: Task<Void, Never>?
    _ = await timeLimit.value(of: done) {
      production = Task {
        await produceLocation(subject, for: run, listeners: 1)
        done.fulfill(())
      }
    }
    watcher.cancel()
    production?.cancel()
  }

  /// Cancels a run and waits for its end. If the run has already ended, returns a violation of
  /// `rule`.
  private func stop(
    _ run: SupervisedRun, _ rule: BackendViolation.Rule
  ) async -> [BackendViolation] {
    guard !run.outcome.isFulfilled else {
      return [.init(rule, "A run ended without being cancelled.")] + errors(of: run)
    }
    let outcome = await timeLimit.value(of: run.outcome) { run.cancel() }
    guard outcome != nil else {
      return [.init(.returnsAfterCancellation, "A run does not return when cancelled.")]
    }
    return []
  }

  /// The violation of a run that threw an error other than a `LocationError` or a
  /// `CancellationError`.
  private func errors(of run: SupervisedRun) -> [BackendViolation] {
    guard case .threw(let error)? = run.outcome.current, !(error is LocationError),
      !(error is CancellationError)
    else { return [] }
    return [
      .init(
        .failsWithLocationError, "A run threw \(type(of: error)), not a LocationError.")
    ]
  }
}
