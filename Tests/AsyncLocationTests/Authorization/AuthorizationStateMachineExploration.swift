import Testing

@testable import AsyncLocation

/// Every sequence of events up to a depth, checked step by step against what must always hold.
@Suite(.timeLimit(.minutes(1))) struct AuthorizationStateMachineExploration {
  static let depth = 5

  @Test func keepsItsInvariantsInEverySequence() {
    var search = Search()
    search.explore(AuthorizationStateMachine(), Ledger(), depth: Self.depth)
    #expect(search.violations.isEmpty, "\(search.violations.prefix(3))")
    #expect(search.steps > 100_000)  // It did go that deep.
  }
}

/// What a bystander knows who sees events and actions alone.
private struct Ledger {
  var status = AuthorizationStatus.notDetermined
  var question: AuthorizationRequest?
  var waiting: [UInt64: AuthorizationRequest] = [:]
  var lastCaller: UInt64 = 0
  var alwaysWasAsked = false
  /// Whether the answer was taken back while a question was out: its answer serves all the same.
  var wasTakenBack = false
  var history: [AuthorizationStateMachine.Event] = []

  /// The events that can come now; a caller is new each time.
  var events: [AuthorizationStateMachine.Event] {
    var events: [AuthorizationStateMachine.Event] = [
      .wanted, .requested(.whenInUse, lastCaller + 1), .requested(.always, lastCaller + 1),
    ]
    if lastCaller > 0 { events.append(.cancelled(lastCaller)) }
    if lastCaller > 1 { events.append(.cancelled(1)) }
    for status in AuthorizationStatus.allCases where status != .restricted {
      events += [.answered(status), .changed(status)]
    }
    return events
  }

  /// Notes an event and what came of it; says what is wrong with it.
  mutating func note(
    _ event: AuthorizationStateMachine.Event, _ actions: [AuthorizationStateMachine.Action],
    _ machine: AuthorizationStateMachine
  ) -> [String] {
    history.append(event)
    let hadQuestion = question
    let before = waiting
    var problems: [String] = []
    switch event {
    case .wanted:
      break
    case .requested(let request, let id):
      waiting[id] = request
      lastCaller = id
    case .cancelled(let id):
      waiting[id] = nil
    case .answered(let answer):
      guard question != nil else { break }
      question = nil
      // A refusal that came meanwhile stands.
      if status != .denied { status = answer }
    case .changed(let new):
      status = new
      if new == .notDetermined { (alwaysWasAsked, wasTakenBack) = (false, question != nil) }
    }
    for action in actions { problems += note(action) }
    if machine.status != status { problems.append("the status is not what holds") }
    if machine.isRequestInProgress != (question != nil && status == .notDetermined) {
      problems.append("shows a question that is not out, or hides one that is")
    }
    if question == nil, !waiting.isEmpty { problems.append("a caller is lost") }
    if case .answered = event, hadQuestion == .whenInUse, question == nil,
      status == .authorizedWhenInUse, before.values.contains(.always), !alwaysWasAsked
    {
      problems.append("the stronger request was not asked next")
    }
    if case .wanted = event, status == .notDetermined, question == nil {
      problems.append("a wish asked nobody")
    }
    return problems
  }

  private mutating func note(_ action: AuthorizationStateMachine.Action) -> [String] {
    switch action {
    case .ask(let request):
      var problems: [String] = []
      if question != nil { problems.append("two questions are out") }
      switch (status, request) {
      case (.notDetermined, _): break
      case (.authorizedWhenInUse, .always):
        if alwaysWasAsked { problems.append("always was asked twice") }
      default: problems.append("asked for \(request) under \(status)")
      }
      if request == .always {
        alwaysWasAsked = true
        if !waiting.values.contains(.always) { problems.append("asked for nobody") }
      }
      (question, wasTakenBack) = (request, false)
      return problems
    case .answer(let ids, let answer):
      var problems: [String] = []
      if ids.isEmpty { problems.append("answered nobody") }
      if answer != status { problems.append("answered with what does not hold") }
      for id in ids {
        guard let request = waiting.removeValue(forKey: id) else {
          problems.append("caller \(id) was answered twice or after it left")
          continue
        }
        if answer == .authorizedWhenInUse, request == .always, !alwaysWasAsked, !wasTakenBack {
          problems.append("always was not asked for caller \(id)")
        }
      }
      return problems
    }
  }
}

private struct Search {
  var steps = 0
  var violations: [String] = []

  mutating func explore(_ machine: AuthorizationStateMachine, _ ledger: Ledger, depth: Int) {
    guard depth > 0, violations.count < 10 else { return }
    for event in ledger.events {
      steps += 1
      var (machine, ledger) = (machine, ledger)
      let actions = machine.handle(event)
      for problem in ledger.note(event, actions, machine) {
        violations.append("\(problem): \(ledger.history)")
      }
      explore(machine, ledger, depth: depth - 1)
    }
  }
}
