/// Stores the callers that wait for permission and performs the actions of the state machine.
struct AuthorizationRequests: Sendable {
  typealias Machine = AuthorizationStateMachine

  private(set) var machine = Machine()
  private var questions = PendingQuestions()
  private var calls: [UInt64: PendingCall<Authorization>] = [:]
  /// IDs of the calls that wait for an answer, in the order of their requests.
  private var waiting: [Question.Subject: [UInt64]] = [:]
  /// The task that observes the policy until the manager and its readers are released.
  private var observationTask: Task<Void, Never>?
  /// The task that asks the policy until the manager closes.
  private var askingTask: Task<Void, Never>?
  /// The latest grant of temporary full accuracy, and the task that ends it.
  private var expiry: (number: UInt64, deadline: Duration, task: Task<Void, Never>?) = (
    0, .zero, nil
  )
  private var isClosed = false
  private var isReleased = false

  var current: Authorization { machine.authorization }
  /// The number of calls without an answer.
  var openCalls: Int { calls.values.reduce(0) { $0 + ($1.isOpen ? 1 : 0) } }
  var wakeup: BoundedChannel<Void> { questions.wakeup }

  mutating func handle(_ event: Machine.Event, _ effects: inout Effects) {
    guard !isClosed else { return handleAfterClosing(event) }
    for action in machine.handle(event) {
      switch action {
      case .ask(let request): questions.add(.permission(request), &effects)
      case .cancelQuestion: questions.cancelPermission(&effects)
      case .answer(let request):
        answer(.permission(request), .success(current), &effects)
      case .askForFullAccuracy(let purpose):
        questions.add(.fullAccuracy(purposeKey: purpose), &effects)
      case .cancelFullAccuracyQuestion: questions.cancelAccuracy(&effects)
      case .answerFullAccuracy(let purpose, let isGranted):
        answer(
          .fullAccuracy(purposeKey: purpose),
          isGranted ? .success(current) : .failure(declined(purpose)), &effects)
      }
    }
  }

  /// Handles an event after the manager closed. The policy receives no further requests, but unread
  /// elements stay subject to permission.
  private mutating func handleAfterClosing(_ event: Machine.Event) {
    switch event {
    case .changed, .locationServices, .use, .fullAccuracyExpired: _ = machine.handle(event)
    case .requested, .withdrawn, .answered, .source, .demandEnded, .requestedFullAccuracy,
      .withdrawnFullAccuracy, .answeredFullAccuracy:
      break
    }
  }

  // MARK: Questions

  mutating func nextQuestion() -> Question? { questions.next() }

  /// False after the question was answered or cancelled.
  func isPending(_ question: Question) -> Bool { questions.isPending(question) }

  mutating func setQuestionTask(
    _ task: Task<Void, Never>, for question: Question, _ effects: inout Effects
  ) {
    questions.setTask(task, for: question, &effects)
  }

  /// Handles the answer to a question. Answers to cancelled questions are ignored.
  mutating func answered(
    _ question: Question, _ answer: Question.Answer, _ effects: inout Effects
  ) {
    guard questions.remove(question) else { return }
    switch answer {
    case .permission(let decision): handle(.answered(decision), &effects)
    case .fullAccuracy(let duration):
      let isGranted = duration.map { $0 > .zero } ?? false
      handle(.answeredFullAccuracy(isGranted: isGranted), &effects)
      guard isGranted, let duration, !isClosed else { return }
      expiry.number += 1
      effects.expiry = Expiry(number: expiry.number, duration: duration)
    }
  }

  // MARK: Expiry of full accuracy

  /// Retains the task that ends full accuracy, and cancels the task that it replaces. If the grant
  /// is no longer the latest, the new task is cancelled instead.
  mutating func setExpiryTask(
    _ task: Task<Void, Never>, for expiry: Expiry, until deadline: Duration,
    _ effects: inout Effects
  ) {
    let isCurrent = !isReleased && expiry.number == self.expiry.number
    if let obsolete = isCurrent ? self.expiry.task : task { effects.cancelled.append(obsolete) }
    if isCurrent { (self.expiry.deadline, self.expiry.task) = (deadline, task) }
  }

  mutating func expired(_ expiry: Expiry, _ effects: inout Effects) {
    guard expiry.number == self.expiry.number else { return }  // A later grant has its own timer.
    self.expiry.task = nil
    handle(.fullAccuracyExpired, &effects)
  }

  // MARK: Callers

  /// Adds a call and handles its request. After the manager has closed, the call fails.
  mutating func open(_ id: UInt64, _ subject: Question.Subject, _ effects: inout Effects) {
    calls[id] = PendingCall()
    guard !isClosed else {
      return resolve(id, .failure(LocationError.managerShutDown), &effects)
    }
    waiting[subject, default: []].append(id)
    switch subject {
    case .permission(let request): handle(.requested(request), &effects)
    case .fullAccuracy(let purpose): handle(.requestedFullAccuracy(purposeKey: purpose), &effects)
    }
  }

  /// Sets the caller of a call.
  ///
  /// - Returns: The resumption to perform if the call has its result already; nil if it waits.
  mutating func wait(
    _ id: UInt64, _ caller: PendingCall<Authorization>.Caller, _ rest: TaskRest? = nil
  ) -> PendingCall<Authorization>.Resumption? {
    let resumption = calls[id]?.wait(caller, rest)
    if resumption != nil { calls[id] = nil }
    return resumption
  }

  /// True while a call has no answer.
  func isOpen(_ id: UInt64) -> Bool { calls[id]?.isOpen == true }

  /// Ends a call with an error. If no other call waits for the same answer, the request is
  /// withdrawn.
  mutating func cancel(
    _ id: UInt64, _ subject: Question.Subject, with error: any Error = CancellationError(),
    _ effects: inout Effects
  ) {
    if let index = waiting[subject]?.firstIndex(of: id) {
      waiting[subject]?.remove(at: index)
      if waiting[subject]?.isEmpty == true {
        waiting[subject] = nil
        switch subject {
        case .permission(let request): handle(.withdrawn(request), &effects)
        case .fullAccuracy(let purpose):
          handle(.withdrawnFullAccuracy(purposeKey: purpose), &effects)
        }
      }
    }
    resolve(id, .failure(error), &effects)
  }

  private mutating func answer(
    _ subject: Question.Subject, _ result: Result<Authorization, any Error>,
    _ effects: inout Effects
  ) {
    for id in waiting.removeValue(forKey: subject) ?? [] { resolve(id, result, &effects) }
  }

  private mutating func resolve(
    _ id: UInt64, _ result: Result<Authorization, any Error>, _ effects: inout Effects
  ) {
    guard let resumption = calls[id]?.resolve(result) else { return }
    calls[id] = nil
    effects.authorizations.append(resumption)
  }

  private func declined(_ purpose: String) -> LocationError {
    LocationError(
      .promptDeclined,
      machine.status.isAuthorized
        ? "Full accuracy for \"\(purpose)\" was declined; see the authorization policy."
        : "Full accuracy needs permission for locations first; it is \(machine.status).")
  }

  // MARK: Closing

  /// Retains the task that observes the policy until the manager and its readers are released.
  mutating func setObservationTask(_ task: Task<Void, Never>, _ effects: inout Effects) {
    if isReleased { effects.cancelled.append(task) } else { observationTask = task }
  }

  /// Retains the task that asks the policy until the manager closes.
  mutating func setAskingTask(_ task: Task<Void, Never>, _ effects: inout Effects) {
    if isClosed { effects.cancelled.append(task) } else { askingTask = task }
  }

  mutating func close(_ effects: inout Effects) {
    isClosed = true
    questions.close(&effects)
    if let task = askingTask.take() { effects.cancelled.append(task) }
    if let task = expiry.task.take() {
      effects.cancelled.append(task)
      effects.expiryAfterClose = (Expiry(number: expiry.number, duration: .zero), expiry.deadline)
    }
    waiting = [:]
    for id in Array(calls.keys) {
      resolve(id, .failure(LocationError.managerShutDown), &effects)
    }
  }

  /// Cancels the observation of the policy and the timer of full accuracy.
  mutating func tearDown(_ effects: inout Effects) {
    isReleased = true
    effects.cancelled += [observationTask.take(), expiry.task.take()].compactMap(\.self)
  }
}

/// The end of temporary full accuracy, as a duration from the answer that granted it.
struct Expiry: Hashable, Sendable {
  /// Identifies the grant.
  let number: UInt64
  let duration: Duration
}

extension LocationError {
  static var managerShutDown: Self {
    Self(.shutDown, "The location manager was shut down; create a new one.")
  }
}
