/// Requests, answers, changes and lapses of permission.
extension AuthorizationStateMachine {
  mutating func ask(for request: AuthorizationRequest) -> [Action] {
    guard mayAsk(request) else { return [.answer(request)] }
    switch (question, request) {
    case (nil, .whenInUse):
      question = .whenInUse
      return [.ask(.whenInUse)]
    case (nil, .always):
      guard decision.permission == .notDetermined || !alwaysWasAsked else {
        return [.answer(.always)]
      }
      question = .always
      return [.ask(.always)]
    case (.whenInUse, .always):
      question = .whenInUseThenAlways
      return []
    case (.whenInUse, .whenInUse), (.whenInUseThenAlways, _), (.always, _):
      return []  // Shares the pending question.
    }
  }

  /// Whether the policy's answer to this request could change the status.
  private func mayAsk(_ request: AuthorizationRequest) -> Bool {
    switch (status, request) {
    case (.notDetermined, _): true
    // Permission for one use cannot be raised to always. After its lapse, always can be requested.
    case (.authorizedWhenInUse, .always): decision.permission == .whenInUse
    case (.authorizedWhenInUse, .whenInUse), (.authorizedAlways, _), (.denied, _),
      (.restricted, _):
      false
    }
  }

  mutating func withdraw(_ request: AuthorizationRequest) -> [Action] {
    if question == .whenInUseThenAlways, request == .always { question = .whenInUse }
    return []
  }

  mutating func answer(_ answer: AuthorizationDecision) -> [Action] {
    guard let asked = question else { return [] }
    question = nil
    if !declines(answer) { decision = answer }
    // When-in-use was granted or kept instead of always. Always is not requested a second time.
    alwaysWasAsked = asked == .always && decision.permission == .whenInUse
    let accuracyActions = settleFullAccuracy()
    switch asked {
    case .whenInUse: return [.answer(.whenInUse)] + accuracyActions
    case .whenInUseThenAlways:
      return [.answer(.whenInUse)] + accuracyActions + ask(for: .always)
    case .always: return [.answer(.whenInUse), .answer(.always)] + accuracyActions
    }
  }

  /// Whether an answer leaves the decision unchanged. This is the case for `notDetermined`, and for
  /// an answer below when-in-use while when-in-use is granted: only a change that the policy
  /// reports without a request revokes a grant.
  private func declines(_ answer: AuthorizationDecision) -> Bool {
    switch answer.permission {
    case .notDetermined: true
    case .restricted, .denied, .whenInUseOnce: decision.permission == .whenInUse
    case .whenInUse, .provisionalAlways, .always: false
    }
  }

  mutating func change(to new: AuthorizationDecision) -> [Action] {
    let old = decision
    decision = new
    if new.permission != .whenInUse {
      alwaysWasAsked = false
    } else if old.permission == .provisionalAlways {
      // Provisional always postpones the prompt for always. That prompt has now been answered.
      alwaysWasAsked = true
    }
    // Even an equal decision ends temporary full accuracy granted under the previous decision.
    fullAccuracyPurpose = nil
    return settle()
  }

  mutating func setLocationServices(_ enabled: Bool) -> [Action] {
    locationServicesEnabled = enabled
    return settle()
  }

  mutating func setSourceRefusal(
    _ refusal: SourceRefusal?, _ problem: LocationError?
  ) -> [Action] {
    sourceRefusal = refusal
    // Without the problem's cause, which may be a user's error: it would be freed with a lock held.
    sourceProblem = refusal == nil ? nil : problem.map { LocationError($0.code, $0.message) }
    return settle()
  }

  mutating func setInUse(_ isInUse: Bool) -> [Action] {
    guard isInUse != self.isInUse else { return [] }
    self.isInUse = isInUse
    return isInUse ? [] : lapse()
  }

  /// Ends permission for one use.
  mutating func lapse() -> [Action] {
    guard decision.permission == .whenInUseOnce else { return [] }
    decision = .notDetermined
    return settle()
  }

  /// Cancels questions that the current state makes unnecessary, and answers their callers.
  private mutating func settle() -> [Action] {
    let accuracyActions = settleFullAccuracy()
    switch question {
    case .whenInUse? where !mayAsk(.whenInUse):
      question = nil
      return [.cancelQuestion, .answer(.whenInUse)] + accuracyActions
    case .whenInUseThenAlways? where !mayAsk(.whenInUse):
      question = nil
      return [.cancelQuestion, .answer(.whenInUse)] + accuracyActions + ask(for: .always)
    case .always? where !mayAsk(.always):
      question = nil
      return [.cancelQuestion, .answer(.whenInUse), .answer(.always)] + accuracyActions
    case .always? where !mayAsk(.whenInUse):
      return [.answer(.whenInUse)] + accuracyActions  // The question about always continues.
    case .whenInUse?, .whenInUseThenAlways?, .always?, nil:
      return accuracyActions
    }
  }
}

extension AuthorizationStatus {
  /// True if permission is denied or restricted.
  package var refuses: Bool {
    switch self {
    case .denied, .restricted: true
    case .notDetermined, .authorizedWhenInUse, .authorizedAlways: false
    }
  }
}

extension AuthorizationStateMachine.SourceRefusal {
  /// The refusal that matches a status; nil if the status does not refuse.
  init?(_ status: AuthorizationStatus) {
    switch status {
    case .denied: self = .denied
    case .restricted: self = .restricted
    case .notDetermined, .authorizedWhenInUse, .authorizedAlways: return nil
    }
  }

  var status: AuthorizationStatus {
    switch self {
    case .denied: .denied
    case .restricted: .restricted
    }
  }
}
