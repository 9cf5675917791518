/// How permission is asked for, granted, changed and lost.
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
      return []  // Shares the question that is out.
    }
  }

  /// Whether the policy could say more than what holds.
  private func mayAsk(_ request: AuthorizationRequest) -> Bool {
    switch (status, request) {
    case (.notDetermined, _): true
    // Permission for once is not raised; it is asked for anew when it has lapsed.
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
    // While in use instead of always: nobody is asked twice.
    alwaysWasAsked = asked == .always && decision.permission == .whenInUse
    let accuracyActions = settleFullAccuracy()
    switch asked {
    case .whenInUse: return [.answer(.whenInUse)] + accuracyActions
    case .whenInUseThenAlways:
      return [.answer(.whenInUse)] + accuracyActions + ask(for: .always)
    case .always: return [.answer(.whenInUse), .answer(.always)] + accuracyActions
    }
  }

  /// Whether an answer leaves what holds. "Not determined" does, and so does whatever grants less
  /// than while in use in answer to the step from there to always: only a change of the policy's own
  /// accord takes away what was granted.
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
      alwaysWasAsked = true  // The second prompt that provisional always puts off has been shown.
    }
    // A decision is silent about the purposes of the one before, though all else be the same.
    fullAccuracyPurpose = nil
    return settle()
  }

  mutating func setLocationServices(_ enabled: Bool) -> [Action] {
    locationServicesEnabled = enabled
    return settle()
  }

  mutating func setSourceRefusal(_ refusal: SourceRefusal?) -> [Action] {
    sourceRefusal = refusal
    return settle()
  }

  mutating func setInUse(_ isInUse: Bool) -> [Action] {
    guard isInUse != self.isInUse else { return [] }
    self.isInUse = isInUse
    return isInUse ? [] : lapse()
  }

  /// The use is over for which permission was given once.
  mutating func lapse() -> [Action] {
    guard decision.permission == .whenInUseOnce else { return [] }
    decision = .notDetermined
    return settle()
  }

  /// Takes back questions that what holds now has overtaken, and answers who waited for them.
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
      return [.answer(.whenInUse)] + accuracyActions  // Always is still worth an answer.
    case .whenInUse?, .whenInUseThenAlways?, .always?, nil:
      return accuracyActions
    }
  }
}

extension AuthorizationStatus {
  var refuses: Bool {
    switch self {
    case .denied, .restricted: true
    case .notDetermined, .authorizedWhenInUse, .authorizedAlways: false
    }
  }
}

extension AuthorizationStateMachine.SourceRefusal {
  /// The refusal that a status is; nil when it refuses nothing.
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
