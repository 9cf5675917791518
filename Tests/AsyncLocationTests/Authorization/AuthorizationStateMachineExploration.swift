import TestSupport
import Testing

@testable import AsyncLocation

/// Checks the invariants in every reachable state and after every step of all event sequences up to
/// a length.
@Suite(.inTurn) struct AuthorizationStateMachineExploration {
  #if THREAD_SANITIZER
    static let length = 2  // ThreadSanitizer finds nothing on one thread, and is slow.
  #else
    static let length = 3
  #endif

  @Test(.longWork) func keepsItsInvariantsInEveryReachableState() {
    var (seen, frontier): (Set<Checker>, [Checker]) = ([Checker()], [Checker()])
    var (transitions, violations) = (0, [String]())
    while let state = frontier.popLast(), violations.count < 5 {
      for event in Checker.events {
        transitions += 1
        var next = state
        violations += next.handle(event).map { "\($0): \(event) in \(state)" }
        if seen.insert(next).inserted { frontier.append(next) }
      }
    }
    #expect(violations.isEmpty, "\(violations)")
    // The search was complete: every event was handled in every state found.
    #expect(transitions == seen.count * Checker.events.count)
    #expect(seen.count > 300)
    print("Authorization: \(seen.count) states, \(transitions) transitions, none wrong")
  }

  @Test func keepsItsInvariantsInEverySequence() async {
    let (sequences, violations) = await withTaskExecutorPreference(LongWork.shared) {
      Self.checkEverySequence()
    }
    let events = Checker.events.count
    #expect(violations.isEmpty, "\(violations)")
    #expect(
      sequences == (1...Self.length).reduce(0) { $0 + (0..<$1).reduce(1) { n, _ in n * events } })
    print("Authorization: \(sequences) sequences of 1 to \(Self.length) events, none wrong")
  }

  /// Returns the number of sequences and the violations found. Stops after five violations.
  private static func checkEverySequence() -> (count: Int, violations: [String]) {
    var (sequences, violations) = (0, [String]())
    func explore(_ state: Checker, _ length: Int) {
      guard length > 0, violations.count < 5 else { return }
      for event in Checker.events {
        sequences += 1
        var next = state
        violations += next.handle(event).map { "\($0): \(event) in \(state)" }
        explore(next, length - 1)
      }
    }
    explore(Checker(), Self.length)
    return (sequences, violations)
  }
}

/// Runs the machine, and checks its actions and its state against a model of callers and pending
/// questions that follows from the events and actions.
private struct Checker: Hashable {
  typealias Machine = AuthorizationStateMachine

  var machine = Machine()
  /// The subjects that callers wait for.
  var waiting: Set<Question.Subject> = []
  var question: AuthorizationRequest?
  var accuracyQuestion: String?
  /// Whether a question for always was answered with when-in-use, and permission has been
  /// when-in-use since.
  var alwaysWasAnswered = false

  static let events: [Machine.Event] =
    AuthorizationRequest.allCases.flatMap { [.requested($0), .withdrawn($0)] }
    + AuthorizationDecision.Permission.allCases.flatMap { permission -> [Machine.Event] in
      let decision = AuthorizationDecision(permission)
      let decisions =
        permission.status.isAuthorized ? [decision, decision.limited(to: .reduced)] : [decision]
      return decisions.flatMap { [.answered($0), .changed($0)] }
    }
    + [true, false].flatMap { [.locationServices(enabled: $0), .use($0)] }
    + [nil, .denied, .restricted].map { .source(refusal: $0) }
    + ["p", "q"].flatMap {
      [.requestedFullAccuracy(purposeKey: $0), .withdrawnFullAccuracy(purposeKey: $0)]
    }
    + [true, false].map { .answeredFullAccuracy(isGranted: $0) }
    + [.demandEnded, .fullAccuracyExpired]

  /// Passes an event to the machine and returns the problems with its actions.
  mutating func handle(_ event: Machine.Event) -> [String] {
    let before = machine
    let actions = machine.handle(event)
    var problems = answerProblems(from: before, event)
    switch event {
    case .requested(let request): waiting.insert(.permission(request))
    case .withdrawn(let request): waiting.remove(.permission(request))
    case .requestedFullAccuracy(let purpose): waiting.insert(.fullAccuracy(purposeKey: purpose))
    case .withdrawnFullAccuracy(let purpose): waiting.remove(.fullAccuracy(purposeKey: purpose))
    case .answered: question = nil
    case .answeredFullAccuracy: accuracyQuestion = nil
    case .changed, .locationServices, .source, .use, .demandEnded, .fullAccuracyExpired: break
    }
    for action in actions { problems += check(action, after: event) }
    return problems + questionProblems() + stateProblems() + decisionProblems(from: before, event)
  }

  private mutating func check(_ action: Machine.Action, after event: Machine.Event) -> [String] {
    switch action {
    case .ask(let request):
      defer { question = request }
      let isUseful =
        machine.status == .notDetermined
        || (request == .always && machine.decision.permission == .whenInUse
          && !machine.alwaysWasAsked)
      return (question == nil ? [] : ["two questions are pending"])
        + (request == .always && alwaysWasAnswered ? ["asked again for always"] : [])
        + (isUseful ? [] : ["asked although the answer is known"])
    case .cancelQuestion:
      defer { question = nil }
      return question == nil ? ["withdrew a question that is not pending"] : []
    case .answer(let request):
      guard waiting.remove(.permission(request)) != nil else { return [] }
      // "Not determined" is an answer only if the policy leaves it undecided.
      if machine.status == .notDetermined, case .answered = event { return [] }
      return machine.status == .notDetermined ? ["answered before it was determined"] : []
    case .askForFullAccuracy(let purpose):
      defer { accuracyQuestion = purpose }
      return accuracyQuestion == nil ? [] : ["two accuracy questions are pending"]
    case .cancelFullAccuracyQuestion:
      defer { accuracyQuestion = nil }
      return accuracyQuestion == nil ? ["took back a question for accuracy that was not out"] : []
    case .answerFullAccuracy(let purpose, let isGranted):
      waiting.remove(.fullAccuracy(purposeKey: purpose))
      let holds = machine.status.isAuthorized && machine.accuracy == .full
      return isGranted == holds ? [] : ["reported an accuracy that is not in force"]
    }
  }

  /// Compares the pending questions with the model. Each caller must wait for a question that is
  /// pending or queued; otherwise it would never be answered.
  private func questionProblems() -> [String] {
    var problems: [String] = []
    let asked: AuthorizationRequest? =
      switch machine.question {
      case nil: nil
      case .whenInUse?, .whenInUseThenAlways?: .whenInUse
      case .always?: .always
      }
    if asked != question { problems.append("another question is pending") }
    if machine.fullAccuracyQuestions.first != accuracyQuestion {
      problems.append("another accuracy question is pending")
    }
    for subject in waiting {
      let isServed =
        switch subject {
        case .permission(.whenInUse): question != nil && machine.status == .notDetermined
        case .permission(.always): question == .always || machine.question == .whenInUseThenAlways
        case .fullAccuracy(let purpose): machine.fullAccuracyQuestions.contains(purpose)
        }
      if !isServed { problems.append("\(subject) waits for nothing") }
    }
    if machine.isRequestInProgress != (question != nil && machine.status == .notDetermined) {
      problems.append("the public question differs from the pending one")
    }
    return problems
  }

  /// Checks delivery and accuracy against the permission in force.
  private func stateProblems() -> [String] {
    var problems: [String] = []
    let permission = machine.decision.permission
    if machine.permitsDelivery {
      if !machine.locationServicesEnabled || machine.sourceRefusal != nil
        || !permission.status.isAuthorized
      {
        problems.append("delivers although refused")
      }
      if !machine.isInUse, permission.status != .authorizedAlways {
        problems.append("delivers out of use")
      }
    } else if machine.status.isAuthorized, machine.isInUse {
      problems.append("withholds although granted")
    }
    if !machine.locationServicesEnabled, machine.status != .denied {
      problems.append("services are off without a denial")
    }
    if machine.fullAccuracyPurpose != nil,
      !machine.status.isAuthorized || machine.decision.accuracy == .full
    {
      problems.append("accuracy is raised without permission or need")
    }
    if machine.accuracy == .full, machine.decision.accuracy == .reduced,
      machine.fullAccuracyPurpose == nil
    {
      problems.append("accuracy is full without a reason")
    }
    return problems
  }

  /// A declined upgrade from when-in-use to always revokes nothing and is not requested again.
  private mutating func answerProblems(from before: Machine, _ event: Machine.Event) -> [String] {
    if machine.decision.permission != .whenInUse { alwaysWasAnswered = false }
    switch event {
    case .answered where before.question != nil:
      var problems: [String] = []
      if before.status.isAuthorized, !machine.status.isAuthorized {
        problems.append("an answer revoked permission")
      }
      if before.decision.permission == .whenInUse,
        machine.decision.permission == .whenInUseOnce
      {
        problems.append("an answer ended lasting permission")
      }
      if before.question == .always, machine.decision.permission == .whenInUse {
        alwaysWasAnswered = true
        if !machine.alwaysWasAsked { problems.append("an answer to always is forgotten") }
      }
      return problems
    default: return []
    }
  }

  /// Checks that an event leads to the expected decision, and raises accuracy only by a grant.
  private func decisionProblems(from before: Machine, _ event: Machine.Event) -> [String] {
    var problems: [String] = []
    var decided = before.decision
    switch event {
    case .answered(let new) where before.question != nil && new.permission != .notDetermined:
      let grants = [.whenInUse, .provisionalAlways, .always].contains(new.permission)
      if before.decision.permission != .whenInUse || grants { decided = new }
    case .changed(let new): decided = new
    case .demandEnded where before.decision.permission == .whenInUseOnce,
      .use(false) where before.decision.permission == .whenInUseOnce && before.isInUse:
      decided = .notDetermined
    default: break
    }
    if machine.decision != decided { problems.append("the decision in force is not the last one") }
    if before.fullAccuracyPurpose != machine.fullAccuracyPurpose,
      machine.fullAccuracyPurpose != nil, event != .answeredFullAccuracy(isGranted: true)
    {
      problems.append("accuracy was raised without a grant")
    }
    if event == .fullAccuracyExpired, machine.fullAccuracyPurpose != nil {
      problems.append("accuracy stays raised")
    }
    return problems
  }
}
