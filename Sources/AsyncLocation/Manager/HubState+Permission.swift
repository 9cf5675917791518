/// What is allowed, who asks, and what a change of it does.
extension HubState {
  mutating func authorize(
    _ event: AuthorizationStateMachine.Event, _ effects: inout Effects
  ) {
    let before = authorization.machine
    authorization.handle(event, &effects)
    authorizationChanged(from: before, mayAskAgain: true, &effects)
  }

  /// The policy answered. What it leaves undecided is not asked at once again.
  mutating func answered(
    _ question: Question, _ answer: Question.Answer, _ effects: inout Effects
  ) {
    let before = authorization.machine
    authorization.answered(question, answer, &effects)
    authorizationChanged(from: before, mayAskAgain: false, &effects)
  }

  mutating func expired(_ expiry: Expiry, _ effects: inout Effects) {
    let before = authorization.machine
    authorization.expired(expiry, &effects)
    authorizationChanged(from: before, mayAskAgain: false, &effects)
  }

  /// Somebody wants something anew: a source that refused is tried again.
  mutating func trySourceAgain(_ effects: inout Effects) {
    if authorization.machine.sourceRefusal != nil { authorize(.source(refusal: nil), &effects) }
  }

  mutating func openAuthorization(
    _ id: UInt64, _ subject: Question.Subject, _ effects: inout Effects
  ) {
    trySourceAgain(&effects)
    let before = authorization.machine
    authorization.open(id, subject, &effects)
    authorizationChanged(from: before, mayAskAgain: false, &effects)
  }

  mutating func cancelAuthorization(
    _ id: UInt64, _ subject: Question.Subject, _ effects: inout Effects
  ) {
    let before = authorization.machine
    authorization.cancel(id, subject, &effects)
    authorizationChanged(from: before, mayAskAgain: false, &effects)
  }

  private mutating func authorizationChanged(
    from before: AuthorizationStateMachine, mayAskAgain: Bool, _ effects: inout Effects
  ) {
    let machine = authorization.machine
    guard !isClosed, machine != before else { return }
    if machine.authorization != before.authorization {
      fanOut.publish(machine.authorization, waking: &effects.wakes)
    }
    forgetWhatIsNotAllowed(machine, before, &effects)
    if let refusal = machine.refusal { endReports(refusal, &effects) }
    control.permit(machine.permitsDelivery, &effects)
    sessions.authorizationChanged(machine)
    if mayAskAgain, machine.status == .notDetermined { askForWhoWaits(&effects) }
    askForFullAccuracy(&effects)
    tellDiagnostics(&effects)
  }

  /// Takes back what was known under a permission that no longer holds.
  private mutating func forgetWhatIsNotAllowed(
    _ machine: AuthorizationStateMachine, _ before: AuthorizationStateMachine,
    _ effects: inout Effects
  ) {
    if !machine.permitsDelivery { (lastLocation, lastHeading) = (nil, nil) }
    guard machine.accuracy != before.accuracy else { return }
    // Coarse where it was precise, and unknown where it was coarse: neither is passed off as the
    // other. Calls that wait forget the best they had.
    let known = lastLocation
    (lastLocation, lastHeading) = (nil, nil)
    _ = requests.handle(.withdrawn, &effects)
    if machine.accuracy == .reduced, let known { lastLocation = reducer?.reduce(known) }
  }

  /// Somebody wants reports and nothing is determined any more.
  private mutating func askForWhoWaits(_ effects: inout Effects) {
    guard authorization.machine.isInUse, authorization.machine.question == nil else { return }
    if sessions.wantsAlways {
      authorize(.requested(.always), &effects)
    } else if sessions.wantsWhenInUse || (asksByItself && control.isWanted) {
      authorize(.requested(.whenInUse), &effects)
    }
  }

  /// Asks for the sessions that hold full accuracy, each once for a grant.
  mutating func askForFullAccuracy(_ effects: inout Effects) {
    let machine = authorization.machine
    guard machine.status.isAuthorized, machine.accuracy == .reduced,
      let purpose = sessions.takePurpose()
    else { return }
    authorize(.requestedFullAccuracy(purposeKey: purpose), &effects)
  }

  // MARK: What is missing

  /// Tells the live streams and the sessions when a reason changed: joining costs them nothing.
  mutating func tellDiagnostics(_ effects: inout Effects) {
    sessions.tell(authorization.machine, waking: &effects.wakes)
    let diagnostics = diagnostics
    guard diagnostics != toldDiagnostics else { return }
    toldDiagnostics = diagnostics
    fanOut.tell(diagnostics, waking: &effects.wakes)
  }

  /// What stands between anybody and a location, as far as one can tell.
  var diagnostics: LocationUpdate.Diagnostics {
    let machine = authorization.machine
    var diagnostics = LocationUpdate.Diagnostics(machine)
    guard machine.permitsDelivery else { return diagnostics }
    switch connection.phase {
    case .waiting, .failed: diagnostics.insert(.locationUnavailable)
    case .idle, .connecting, .connected: break
    }
    return diagnostics
  }
}

extension LocationUpdate.Diagnostics {
  /// What a state of permission stands in the way of.
  init(_ machine: AuthorizationStateMachine) {
    switch machine.status {
    case _ where !machine.locationServicesEnabled:
      self = [.authorizationDenied, .authorizationDeniedGlobally]
    case .notDetermined where machine.isRequestInProgress: self = .authorizationRequestInProgress
    case .notDetermined: self = .serviceSessionRequired
    case .denied: self = .authorizationDenied
    case .restricted: self = .authorizationRestricted
    case .authorizedWhenInUse, .authorizedAlways:
      self = machine.permitsDelivery ? [] : .insufficientlyInUse
      if machine.accuracy == .reduced { insert(.accuracyLimited) }
    }
  }
}

extension AuthorizationStateMachine {
  /// What keeps streams waiting in this state; nil when nothing does.
  var obstacle: LocationError? {
    guard !permitsDelivery, !status.refuses else { return nil }
    let message =
      switch status {
      case .notDetermined where isRequestInProgress:
        "Permission for locations was asked for and is not answered yet."
      case .notDetermined:
        "Permission for locations is not determined and nobody has asked for it; request it."
      default: "Permission for locations is for while in use, and the program is out of use."
      }
    return LocationError(.locationUnknown, message)
  }

  /// The error that ends a stream in this state; nil when streams go on or wait.
  package var refusal: LocationError? {
    guard status.refuses else { return nil }
    // A policy may quote anybody.
    let why = decision.reason.map { " (\(String(printable: $0, limit: 512)))" } ?? ""
    guard locationServicesEnabled else {
      return LocationError(.denied, "Location services are switched off for everybody.")
    }
    guard decision.permission.status.refuses else {
      return status == .denied
        ? LocationError(.denied, "The source of positions refuses: it may not be opened.")
        : LocationError(.restricted, "The source of positions is restricted.")
    }
    return status == .denied
      ? LocationError(
        .denied, "Permission for locations is denied; see the authorization policy\(why).")
      : LocationError(
        .restricted,
        "Permission for locations is restricted and cannot be granted here\(why).")
  }
}
