import AsyncLocation

/// Decides whether reports may flow. Pure.
///
/// Reports hold positions as they are: they flow while locations are permitted with full accuracy,
/// by the same machine that a manager goes by, and end when they are refused or made coarse.
struct ReportGate: Sendable {
  enum Action: Hashable, Sendable {
    /// Ask the policy for permission.
    case ask
    /// Take the question back.
    case cancelQuestion
    /// Let reports flow.
    case open
    /// Stop them, and forget those that wait.
    case close
    /// End for good, and forget those that wait.
    case end(LocationError)
  }

  private enum State { case idle, closed, open, ended }

  private var machine = AuthorizationStateMachine()
  private var state = State.idle

  var isOpen: Bool { state == .open }

  /// Somebody wants reports.
  mutating func begin() -> [Action] {
    guard state == .idle else { return [] }
    state = .closed
    return follow(machine.handle(.requested(.whenInUse)))
  }

  /// The policy answered.
  mutating func answered(_ decision: AuthorizationDecision) -> [Action] {
    follow(machine.handle(.answered(decision)))
  }

  /// The policy decided anew of its own accord. What it leaves undecided is asked again.
  mutating func changed(_ change: AuthorizationChange) -> [Action] {
    let actions =
      switch change {
      case .decision(let decision): machine.handle(.changed(decision))
      case .locationServices(let enabled): machine.handle(.locationServices(enabled: enabled))
      }
    let isAsked = state != .idle && machine.status == .notDetermined && machine.question == nil
    return follow(actions + (isAsked ? machine.handle(.requested(.whenInUse)) : []))
  }

  private mutating func follow(_ actions: [AuthorizationStateMachine.Action]) -> [Action] {
    // Before the beginning nothing is asked, and what is refused then ends it at its beginning.
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
    } else if machine.permitsDelivery != isOpen {
      state = isOpen ? .closed : .open
      result.append(isOpen ? .open : .close)
    }
    return result
  }

  private var refusal: LocationError? {
    if let refusal = machine.refusal { return refusal }
    guard machine.status.isAuthorized, machine.accuracy == .reduced else { return nil }
    let why = machine.decision.reason.map { " (\(String(printable: $0, limit: 512)))" } ?? ""
    return LocationError(
      .denied,
      "gpsd's reports contain exact positions, which the authorization policy withholds\(why): "
        + "accuracy is reduced. Reduced locations remain available.")
  }
}
