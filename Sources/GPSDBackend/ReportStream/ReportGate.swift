import AsyncLocation

/// Decides whether reports may be delivered. Pure.
///
/// Reports contain exact positions. They are delivered while location access with full accuracy is
/// granted. Delivery ends permanently when access is refused or accuracy is reduced. Permission is
/// decided by ``/AsyncLocation/AuthorizationStateMachine``, as in a manager.
struct ReportGate: Sendable {
  enum Action: Hashable, Sendable {
    /// Requests permission from the policy.
    case ask
    /// Cancels the pending permission request.
    case cancelQuestion
    /// Starts delivery.
    case open
    /// Stops delivery and discards buffered reports.
    case close
    /// Ends the subscription and discards buffered reports.
    case end(LocationError)

    /// Whether buffered reports may no longer be read.
    var isWithdrawal: Bool {
      switch self {
      case .close, .end: true
      case .ask, .cancelQuestion, .open: false
      }
    }
  }

  private enum State { case idle, closed, open, ended }

  private var machine = AuthorizationStateMachine()
  private var state = State.idle

  var isOpen: Bool { state == .open }

  /// Handles the start of the subscription.
  mutating func began() -> [Action] {
    guard state == .idle else { return [] }
    state = .closed
    return update(after: machine.handle(.requested(.whenInUse)))
  }

  /// Handles the policy's answer.
  mutating func answered(_ decision: AuthorizationDecision) -> [Action] {
    update(after: machine.handle(.answered(decision)))
  }

  /// Handles a change that the policy reports. If the policy is undecided again, permission is
  /// requested again.
  mutating func changed(_ change: AuthorizationChange) -> [Action] {
    let actions: [AuthorizationStateMachine.Action]
    switch change {
    case .decision(let decision): actions = machine.handle(.changed(decision))
    case .locationServices(let enabled):
      actions = machine.handle(.locationServices(enabled: enabled))
    case .withdrawal: return state == .open ? [.close, .open] : []
    }
    let asksAgain = state != .idle && machine.status == .notDetermined && machine.question == nil
    return update(after: actions + (asksAgain ? machine.handle(.requested(.whenInUse)) : []))
  }

  /// Updates the state after an event of the machine. Returns the machine's actions that concern
  /// the gate, then the gate's own change.
  private mutating func update(after actions: [AuthorizationStateMachine.Action]) -> [Action] {
    // Before `began()`, events only update the machine; `began()` then ends the subscription if
    // access is refused. After the end, there are no more actions.
    guard state == .closed || state == .open else { return [] }
    var result: [Action] = actions.compactMap { action in
      switch action {
      case .ask: .ask
      case .cancelQuestion: .cancelQuestion
      case .answer, .askForFullAccuracy, .cancelFullAccuracyQuestion, .answerFullAccuracy: nil
      }
    }
    if let refusal {
      state = .ended
      result.append(.end(refusal))
    } else if machine.permitsDelivery, state == .closed {
      state = .open
      result.append(.open)
    } else if !machine.permitsDelivery, state == .open {
      state = .closed
      result.append(.close)
    }
    return result
  }

  /// The error that ends the subscription: access is refused, or accuracy is reduced. Otherwise
  /// nil.
  private var refusal: LocationError? {
    if let refusal = machine.refusal { return refusal }
    guard machine.status.isAuthorized, machine.accuracy == .reduced else { return nil }
    // The reason is external input: limit and escape it.
    let why = machine.decision.reason.map { " (\(String(printable: $0, limit: 512)))" } ?? ""
    return LocationError(
      .denied,
      "gpsd's reports contain exact positions, which the authorization policy withholds\(why): "
        + "accuracy is reduced. Reduced locations remain available.")
  }
}
