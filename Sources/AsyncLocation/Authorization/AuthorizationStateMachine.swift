/// Decides what is asked of the policy, who hears the answer and what holds. Performs no I/O.
///
/// One question is out at a time; callers of its kind share it, and a request for always that
/// arrives while when-in-use is asked is asked next. Every request gets an answer.
struct AuthorizationStateMachine: Sendable {
  typealias CallerID = UInt64

  enum Event: Hashable, Sendable {
    /// Somebody wants locations; nobody waits for the answer.
    case wanted
    case requested(AuthorizationRequest, CallerID)
    case cancelled(CallerID)
    /// The policy answered the question that is out.
    case answered(AuthorizationStatus)
    /// The policy or the backend changed what holds.
    case changed(AuthorizationStatus)
  }

  enum Action: Hashable, Sendable {
    case ask(AuthorizationRequest)
    case answer([CallerID], AuthorizationStatus)
  }

  private enum State: Sendable {
    case settled
    case asking(AuthorizationRequest, callers: [CallerID], next: [CallerID])
  }

  private(set) var status = AuthorizationStatus.notDetermined
  private var state = State.settled
  /// Asking for more than when-in-use is done once; declining it is an answer for good.
  private var alwaysWasAsked = false

  /// True while a question is out that could turn "not determined" into an answer.
  var isRequestInProgress: Bool {
    switch state {
    case .settled: false
    case .asking: status == .notDetermined
    }
  }

  mutating func handle(_ event: Event) -> [Action] {
    switch (state, event) {
    case (.settled, .wanted):
      guard status == .notDetermined else { return [] }
      return ask(.whenInUse, [])
    case (.settled, .requested(let request, let id)):
      return mustAsk(request) ? ask(request, [id]) : [.answer([id], status)]
    case (.asking(.always, let callers, _), .requested(.always, let id)):
      state = .asking(.always, callers: callers + [id], next: [])
      return []
    case (.asking(let request, let callers, let next), .requested(.whenInUse, let id)):
      // While always is asked on top of when-in-use, the lesser request has its answer already.
      guard status == .notDetermined else { return [.answer([id], status)] }
      state = .asking(request, callers: callers + [id], next: next)
      return []
    case (.asking(.whenInUse, let callers, let next), .requested(.always, let id)):
      state = .asking(.whenInUse, callers: callers, next: next + [id])
      return []
    case (.asking(let request, let callers, let next), .cancelled(let id)):
      state = .asking(
        request, callers: callers.filter { $0 != id }, next: next.filter { $0 != id })
      return []
    case (.asking(_, let callers, let next), .answered(let answer)):
      state = .settled
      // A refusal that came while the question was out is the later word: it fails closed.
      if status.refusal == nil { status = answer }
      let answers: [Action] = callers.isEmpty ? [] : [.answer(callers, status)]
      guard !next.isEmpty else { return answers }
      return answers + (mustAsk(.always) ? ask(.always, next) : [.answer(next, status)])
    case (_, .changed(let new)):
      status = new
      if new == .notDetermined { alwaysWasAsked = false }
      return []
    case (.asking, .wanted), (.settled, .cancelled), (.settled, .answered):
      return []  // Asked already; or too late, which is no fault of anybody's.
    }
  }

  /// True when the policy could say more than what holds.
  private func mustAsk(_ request: AuthorizationRequest) -> Bool {
    switch (status, request) {
    case (.notDetermined, _): true
    case (.authorizedWhenInUse, .always): !alwaysWasAsked
    case (.authorizedWhenInUse, .whenInUse), (.authorizedAlways, _), (.denied, _),
      (.restricted, _):
      false
    }
  }

  private mutating func ask(_ request: AuthorizationRequest, _ callers: [CallerID]) -> [Action] {
    if request == .always { alwaysWasAsked = true }
    state = .asking(request, callers: callers, next: [])
    return [.ask(request)]
  }
}
