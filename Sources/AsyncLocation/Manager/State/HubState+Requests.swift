/// Requests for one location.
extension HubState {
  /// Opens a request for one location, which may be answered immediately.
  ///
  /// - Parameters:
  ///   - maximumAge: The maximum age of a known location that answers at once. Nil requires a new
  ///     location, or with a zero timeout accepts a known location of any age.
  ///   - mayWaitForPermission: False for a call by the policy itself.
  mutating func openLocation(
    _ id: UInt64, accuracy: DesiredAccuracy, maximumAge: Duration?, timeout: Duration,
    mayWaitForPermission: Bool, at now: Duration, _ effects: inout Effects
  ) {
    let knownLocation = known.location.flatMap { location -> Location? in
      guard let maximumAge else { return timeout == .zero ? location : nil }
      guard maximumAge > .zero, let arrival = location.arrival else { return nil }
      return now - arrival.instant <= maximumAge ? location : nil
    }
    retrySource(&effects)
    requests.open(
      id, OneShotStateMachine(accuracy: accuracy, timeout: timeout, best: knownLocation))
    if isClosed {
      answer(id, .ended(.managerShutDown), &effects)
    } else if let refusal = authorization.machine.refusal {
      answer(id, .ended(refusal), &effects)
    } else if let knownLocation, accuracy.isMet(by: knownLocation) || isReduced {
      answer(id, .located(knownLocation, accuracyCounts: !isReduced), &effects)
    } else if timeout == .zero {
      answer(id, .deadlinePassed(obstacle), &effects)
    } else if !mayWaitForPermission, !authorization.machine.permitsDelivery {
      answer(id, .ended(.waitsForItself), &effects)
    } else {
      demand(BackendDemand(kinds: .locations, desiredAccuracy: accuracy), holder: id, &effects)
    }
  }

  mutating func waitForLocation(
    _ id: UInt64, _ caller: LocationRequests.Call.Caller, _ rest: TaskRest?
  ) -> LocationRequests.Call.Resumption? {
    requests.wait(id, caller, rest)
  }

  mutating func cancelLocation(_ id: UInt64, _ effects: inout Effects) {
    if requests.cancel(id, resuming: &effects.locations) { release([id], &effects) }
  }

  mutating func deadlinePassed(_ id: UInt64, _ effects: inout Effects) {
    answer(id, .deadlinePassed(obstacle), &effects)
  }

  /// The reason why there is no location, in this order: permission, the connection, the receiver.
  /// While connected, the receiver's reason takes precedence over a problem of the connection.
  var obstacle: LocationError? {
    authorization.machine.obstacle
      ?? (source.connection.phase == .connected ? nil : source.connection.problem)
      ?? reasonForNoFix ?? source.connection.problem
  }

  private mutating func answer(
    _ id: UInt64, _ event: OneShotStateMachine.Event, _ effects: inout Effects
  ) {
    if requests.handle(id, event, resuming: &effects.locations) { release([id], &effects) }
  }
}
