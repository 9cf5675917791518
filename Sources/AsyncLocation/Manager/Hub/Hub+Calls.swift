/// Suspending calls. Cancelling a caller's task ends only that call.
extension Hub {
  /// Waits until the waiters are resumed or the calling task is cancelled. Returns at once if
  /// `mustWait` returns false.
  func wait(
    with waiters: any WritableKeyPath<HubState, Waiters> & Sendable,
    while mustWait: @Sendable (HubState) -> Bool
  ) async {
    guard decide({ state, _ in mustWait(state) }) else { return }
    let id = newID()
    await withTaskCancellationHandler {
      await withCheckedContinuation { caller in
        let isWaiting = decide { state, _ in
          // Checked under the lock: a later cancellation finds the caller.
          guard mustWait(state), !Task.isCancelled else { return false }
          state[keyPath: waiters].add(id, caller)
          return true
        }
        if !isWaiting { caller.resume() }
      }
    } onCancel: {
      decide { $0[keyPath: waiters].cancel(id, &$1) }
    }
  }

  /// Asks the policy a question if the answer is not known, and waits for the answer.
  func authorization(for subject: Question.Subject) async throws -> Authorization {
    await waitForFirstReport()  // The first report may be the answer.
    try Task.checkCancellation()
    let id = newID()
    let mayWait = !PolicyCall.isUnderWay(for: self)
    decide { $0.openAuthorization(id, subject, mayWait: mayWait, &$1) }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { caller in
        let rest = restOfCaller
        decide { state, _ in state.authorization.wait(id, caller, rest) }?.perform()
      }
    } onCancel: {
      decide { $0.cancelAuthorization(id, subject, &$1) }
    }
  }

  /// Requests a location, again if permission for the answer was withdrawn meanwhile.
  func location(
    accuracy: DesiredAccuracy, maximumAge: Duration?, timeout: Duration,
    for endpoint: LocationManager.Endpoint
  ) async throws -> Location {
    var remaining = max(timeout, .zero)
    let deadline = timeline.now().addingSaturated(remaining)
    while true {
      let (requestTimeout, start) = (remaining, timeline.now())
      let answer = try await call(endpoint) {
        try await self.answer(
          accuracy: accuracy, maximumAge: maximumAge, timeout: requestTimeout, at: start,
          until: deadline, for: endpoint)
      }
      // Permission may have been withdrawn while the caller's actor was busy. Checked here, because
      // this code runs on that actor; a closure that a standard library function calls does not.
      // The next request returns only a location that the current permission allows.
      if gate.admits(answer.stamp) { return answer.location }
      remaining = max(deadline - timeline.now(), .zero)
    }
  }

  /// Waits for the answer to one request.
  private func answer(
    accuracy: DesiredAccuracy, maximumAge: Duration?, timeout: Duration, at now: Duration,
    until deadline: Duration, for endpoint: LocationManager.Endpoint
  ) async throws -> StampedLocation {
    try Task.checkCancellation()
    let id = newID()
    let mayWait = !PolicyCall.isUnderWay(for: self)
    decide {
      $0.openLocation(
        id, accuracy: accuracy, maximumAge: maximumAge, timeout: timeout,
        mayWaitForPermission: mayWait, at: now, &$1)
    }
    observer?.didOpen(endpoint)
    activity?.begin()
    async let _: Void = waitForDeadline(of: id, at: deadline, for: endpoint)
    let answer = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { caller in
        let rest = restOfCaller
        decide { state, _ in state.waitForLocation(id, caller, rest) }?.perform()
      }
    } onCancel: {
      decide { $0.cancelLocation(id, &$1) }
    }
    return answer
  }

  /// Ends a request at its deadline.
  private func waitForDeadline(
    of id: UInt64, at deadline: Duration, for endpoint: LocationManager.Endpoint
  ) async {
    await Self.performing(activity) {
      // The sleep is cancelled if the call is answered in time.
      guard await Self.sleep(on: timeline, until: deadline, for: endpoint, activity) else { return }
      decide { $0.deadlinePassed(id, &$1) }
    }
  }

  /// Starts the task that ends a deferral or a request at its timeout.
  func startTimer(for timeout: EventTimeout) {
    let endpoint: LocationManager.Endpoint =
      switch timeout.subject {
      case .deferral: .allowDeferredLocationUpdates
      case .request: .requestLocation
      }
    let deadline = timeline.now().addingSaturated(timeout.duration)
    let task = task(until: deadline, for: endpoint) { $0.timedOut(timeout, &$1) }
    decide { $0.setTimeoutTask(task, for: timeout, &$1) }
  }

  /// Starts a task that calls `decide` at a deadline, unless the task is cancelled first.
  func task(
    until deadline: Duration, for endpoint: LocationManager.Endpoint,
    _ body: @escaping @Sendable (inout HubState, inout Effects) -> Void
  ) -> Task<Void, Never> {
    activity?.begin()
    return Task.detached(executorPreference: executor) { [weak self, timeline, activity] in
      await Self.performing(activity) {
        guard await Self.sleep(on: timeline, until: deadline, for: endpoint, activity) else {
          return
        }
        self?.decide(body)
      }
    }
  }

  /// Waits until no run is in progress. Cancelling the caller's task does not shorten the wait.
  func waitUntilIdle() async {
    await withCheckedContinuation { waiter in
      let isIdle = decide { state, _ in state.control.waitUntilIdle(waiter) }
      if isIdle { waiter.resume() }
    }
  }
}
