/// Applies changes of permission and requests it when needed.
extension HubState {
  /// Handles an event of permission and applies the change.
  mutating func authorize(
    _ event: AuthorizationStateMachine.Event, _ effects: inout Effects
  ) {
    let before = authorization.machine
    authorization.handle(event, &effects)
    // When one-time permission lapses, elements that are already delivered may still be read.
    authorizationChanged(
      from: before, mayRequestAgain: true, withdraws: event != .demandEnded, &effects)
  }

  /// Applies the policy's answer. If the answer leaves permission undetermined, permission is not
  /// requested again at once.
  mutating func answered(
    _ question: Question, _ answer: Question.Answer, _ effects: inout Effects
  ) {
    let before = authorization.machine
    authorization.answered(question, answer, &effects)
    authorizationChanged(from: before, mayRequestAgain: false, &effects)
  }

  mutating func expired(_ expiry: Expiry, _ effects: inout Effects) {
    let before = authorization.machine
    authorization.expired(expiry, &effects)
    authorizationChanged(from: before, mayRequestAgain: false, &effects)
  }

  /// Clears a refusal by the source, so that a new demand or request tries the source again.
  mutating func retrySource(_ effects: inout Effects) {
    if authorization.machine.sourceRefusal != nil { authorize(.source(refusal: nil), &effects) }
  }

  /// - Parameter mayWait: False for a call by the policy itself, which would wait for its own
  ///   answer.
  mutating func openAuthorization(
    _ id: UInt64, _ subject: Question.Subject, mayWait: Bool, _ effects: inout Effects
  ) {
    retrySource(&effects)
    let before = authorization.machine
    authorization.open(id, subject, &effects)
    if !mayWait, authorization.isOpen(id) {
      authorization.cancel(id, subject, with: LocationError.waitsForItself, &effects)
    }
    authorizationChanged(from: before, mayRequestAgain: false, &effects)
  }

  mutating func cancelAuthorization(
    _ id: UInt64, _ subject: Question.Subject, _ effects: inout Effects
  ) {
    let before = authorization.machine
    authorization.cancel(id, subject, &effects)
    authorizationChanged(from: before, mayRequestAgain: false, &effects)
  }

  /// Applies a change of the authorization to streams, events, known values and the run.
  ///
  /// - Parameters:
  ///   - before: The state before the change. Does nothing if the state is the same.
  ///   - mayRequestAgain: Whether to request permission if it is needed and no longer determined.
  ///   - withdraws: Whether unread elements that the new permission does not cover are withdrawn.
  mutating func authorizationChanged(
    from before: AuthorizationStateMachine, mayRequestAgain: Bool, withdraws: Bool = true,
    _ effects: inout Effects
  ) {
    let machine = authorization.machine
    guard machine != before else { return }
    var isWithdrawn = false
    if withdraws {
      withdrawals.count(from: before.authorization, to: machine.authorization)
      isWithdrawn = withdraw(machine, before, &effects)
    }
    if !policy.awaitsFirstReport {
      if machine.authorization != before.authorization {
        publish(machine.authorization, &effects)
      } else if isWithdrawn {
        // The authorization stays the same when the application goes out of use.
        fanOut.notifyFollowers(machine.authorization, waking: &effects.wakes)
      }
    }
    guard !isClosed else { return }
    discardForbiddenValues(machine, before, &effects)
    if let refusal = machine.refusal {
      endReports(refusal, &effects)
      if refusal != before.refusal { feed.refused(refusal, &effects.events) }
      endTimeouts(&effects)
    } else if before.permitsDelivery, let obstacle = machine.obstacle {
      // An application out of use must not show a position. So every stream of events is notified,
      // also a stream without services, whose reader may show a position from another stream.
      feed.obstructed(
        by: obstacle, concernsAll: machine.status.isAuthorized, &effects.events)
    }
    control.permit(machine.permitsDelivery, &effects)
    sessions.authorizationChanged(machine)
    if mayRequestAgain, machine.status == .notDetermined { requestPermissionIfNeeded(&effects) }
    askForFullAccuracy(&effects)
    notifyDiagnostics(&effects)
  }

  /// Withdraws unread elements that the new permission does not cover, before the change is
  /// visible. Returns false if the new permission covers everything that the earlier permission
  /// covered.
  private mutating func withdraw(
    _ machine: AuthorizationStateMachine, _ before: AuthorizationStateMachine,
    _ effects: inout Effects
  ) -> Bool {
    // The second condition covers a refusal after one-time permission has lapsed: the lapse
    // withdrew nothing.
    let withdrawsAll =
      before.permitsDelivery && !machine.permitsDelivery
      || machine.status.refuses && !before.status.refuses
    guard withdrawsAll || (before.accuracy == .full && machine.accuracy == .reduced) else {
      return false
    }
    fanOut.withdraw(preciseOnly: !withdrawsAll)
    feed.withdraw(preciseOnly: !withdrawsAll, &effects.events)
    intake.withdraw()
    return true
  }

  /// The policy withdrew what was delivered, under a decision that stays in force. The run is
  /// cancelled as well, since what it has not delivered yet may be part of it.
  mutating func policyWithdrew(_ effects: inout Effects) {
    let machine = authorization.machine
    withdrawals.countWithdrawal()
    fanOut.withdraw(preciseOnly: false)
    feed.withdraw(preciseOnly: false, &effects.events)
    intake.withdraw()
    if !policy.awaitsFirstReport {
      fanOut.notifyFollowers(machine.authorization, waking: &effects.wakes)
    }
    guard !isClosed else { return }
    known.clear()
    discardWaiting(&effects)
    control.permit(false, &effects)
    control.permit(machine.permitsDelivery, &effects)
  }

  /// Discards the locations that wait to be reduced or to answer calls.
  private mutating func discardWaiting(_ effects: inout Effects) {
    intake.countDiscarded(reductions.withdraw())
    // Waiting calls discard their best location so far.
    _ = requests.handle(.withdrawn, resuming: &effects.locations)
  }

  mutating func publish(_ authorization: Authorization, _ effects: inout Effects) {
    fanOut.publish(authorization, waking: &effects.wakes)
    feed.authorizationChanged(to: authorization, &effects.events)
  }

  /// Clears known values that the new permission does not cover.
  private mutating func discardForbiddenValues(
    _ machine: AuthorizationStateMachine, _ before: AuthorizationStateMachine,
    _ effects: inout Effects
  ) {
    if !machine.permitsDelivery { known.clear() }
    if machine.permitsDelivery != before.permitsDelivery || machine.accuracy != before.accuracy {
      discardWaiting(&effects)
    }
    guard machine.accuracy != before.accuracy else { return }
    known.accuracyChanged(to: machine.accuracy)
    reduceKnown(&effects)
    fanOut.locations.resumePaused()
    applyPauses(&effects)
  }

  /// Requests permission again when it is needed and no longer determined.
  private mutating func requestPermissionIfNeeded(_ effects: inout Effects) {
    guard authorization.machine.isInUse, authorization.machine.question == nil else { return }
    if sessions.wantsAlways {
      authorize(.requested(.always), &effects)
    } else if sessions.wantsWhenInUse || (requestsImplicitly && control.isWanted) {
      authorize(.requested(.whenInUse), &effects)
    }
  }

  /// Requests full accuracy for each session that requires it, once per grant.
  mutating func askForFullAccuracy(_ effects: inout Effects) {
    let machine = authorization.machine
    guard machine.status.isAuthorized, machine.accuracy == .reduced,
      let purpose = sessions.takePurpose()
    else { return }
    authorize(.requestedFullAccuracy(purposeKey: purpose), &effects)
  }
}

extension LocationUpdate.Diagnostics {
  /// The diagnostics that follow from a state of permission.
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
  /// The reason why streams wait in this state; nil when they do not wait.
  var obstacle: LocationError? {
    guard !permitsDelivery, !status.refuses else { return nil }
    let message =
      switch status {
      case .notDetermined where isRequestInProgress:
        "The request for location permission has no answer yet."
      case .notDetermined:
        "Permission for locations is not determined: it was not requested or not decided. Request it."
      default:
        "Permission for locations covers only the time in use, and the application is not in use."
      }
    return LocationError(.locationUnknown, message)
  }

  /// The refusal of a source that has said why; nil without one that is in force.
  var refusalOfSource: LocationError? {
    guard locationServicesEnabled, !decision.permission.status.refuses, let sourceRefusal,
      let problem = sourceProblem,
      problem.code == (sourceRefusal == .denied ? .denied : .restricted)
    else { return nil }
    return problem
  }

  /// The error that ends a stream in this state; nil when streams continue or wait.
  package var refusal: LocationError? {
    guard status.refuses else { return nil }
    // The reason is external input: limit and escape it.
    let why = decision.reason.map { " (\(String(printable: $0, limit: 512)))" } ?? ""
    guard locationServicesEnabled else {
      return LocationError(
        .locationServicesDisabled,
        "Location services are switched off for everybody; see the authorization policy.")
    }
    if let refusalOfSource { return refusalOfSource }
    guard decision.permission.status.refuses else {
      return status == .denied
        ? LocationError(
          .denied, "The system denies access to the location source; check its access rights.")
        : LocationError(
          .restricted, "Access to the location source is restricted on this system.")
    }
    return status == .denied
      ? LocationError(
        .denied, "Permission for locations is denied; see the authorization policy\(why).")
      : LocationError(
        .restricted,
        "Permission for locations is restricted and cannot be granted here\(why).")
  }
}
