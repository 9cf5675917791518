/// What is allowed, who asks, and what a change of it does.
extension HubState {
  mutating func authorize(
    _ event: AuthorizationStateMachine.Event, _ effects: inout Effects
  ) {
    let before = authorization.current
    authorization.handle(event, &effects)
    authorizationChanged(from: before, &effects)
  }

  mutating func openAuthorization(
    _ id: UInt64, _ request: AuthorizationRequest, _ effects: inout Effects
  ) {
    let before = authorization.current
    authorization.open(id, request, &effects)
    authorizationChanged(from: before, &effects)
  }

  mutating func waitForAuthorization(
    _ id: UInt64, _ caller: PendingCall<Authorization>.Caller
  ) -> PendingCall<Authorization>.Resumption? {
    authorization.wait(id, caller)
  }

  mutating func cancelAuthorization(_ id: UInt64, _ effects: inout Effects) {
    authorization.cancel(id, &effects)
  }

  mutating func keepObserver(_ task: Task<Void, Never>, _ effects: inout Effects) {
    authorization.keepObserver(task, &effects)
  }

  mutating func keep(
    _ task: Task<Void, Never>, for question: Question, _ effects: inout Effects
  ) {
    authorization.keep(task, for: question, &effects)
  }

  private mutating func authorizationChanged(
    from before: Authorization, _ effects: inout Effects
  ) {
    guard !isClosed else { return }
    let current = authorization.current
    if current != before {
      fanOut.publish(current, waking: &effects.wakes)
      if !current.isAuthorized { (lastLocation, lastHeading) = (nil, nil) }
      if let refusal = current.status.refusal { endReports(refusal, &effects) }
      control.permit(current.isAuthorized, &effects)
    }
    tellDiagnostics(&effects)
  }

  /// Tells the live streams when the reason changed: joining costs them nothing.
  mutating func tellDiagnostics(_ effects: inout Effects) {
    let diagnostics = diagnostics
    guard diagnostics != toldDiagnostics else { return }
    toldDiagnostics = diagnostics
    fanOut.tell(diagnostics, waking: &effects.wakes)
  }

  /// Why there is no location, as far as anybody can tell.
  var diagnostics: LocationUpdate.Diagnostics {
    if authorization.isRequestInProgress { return .authorizationRequestInProgress }
    switch authorization.current.status {
    case .notDetermined: return .authorizationRequired
    case .denied: return .authorizationDenied
    case .restricted: return .authorizationRestricted
    case .authorizedWhenInUse, .authorizedAlways: break
    }
    switch connection.phase {
    case .waiting, .failed: return .locationUnavailable
    case .idle, .connecting, .connected: return []
    }
  }
}

extension AuthorizationStatus {
  /// The error that ends a stream under this status.
  var refusal: LocationError? {
    switch self {
    case .denied:
      LocationError(.denied, "Permission for locations is denied; see the authorization policy.")
    case .restricted:
      LocationError(
        .restricted, "Permission for locations is restricted and cannot be granted here.")
    case .notDetermined, .authorizedWhenInUse, .authorizedAlways:
      nil
    }
  }
}
