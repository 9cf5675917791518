/// A question to the policy.
struct Question: Hashable, Sendable {
  let number: UInt64
  let request: AuthorizationRequest
}

/// Keeps the callers that wait for permission, and the question that is out.
struct AuthorizationDesk: Sendable {
  private var machine = AuthorizationStateMachine()
  private var calls: [UInt64: PendingCall<Authorization>] = [:]
  private var observer: Task<Void, Never>?
  private var question: Task<Void, Never>?
  /// Numbers the questions, so that a task is kept only while its question is out.
  private var questions: UInt64 = 0
  private var isAsking = false
  private var isClosed = false

  var current: Authorization { Authorization(status: machine.status) }
  var isRequestInProgress: Bool { machine.isRequestInProgress }

  mutating func handle(_ event: AuthorizationStateMachine.Event, _ effects: inout Effects) {
    guard !isClosed else { return }
    if case .answered = event { (question, isAsking) = (nil, false) }
    for action in machine.handle(event) {
      switch action {
      case .ask(let request):
        questions += 1
        isAsking = true
        effects.question = Question(number: questions, request: request)
      case .answer(let callers, let status):
        for caller in callers {
          resolve(caller, .success(Authorization(status: status)), &effects)
        }
      }
    }
  }

  // MARK: Callers

  mutating func open(
    _ id: UInt64, _ request: AuthorizationRequest, _ effects: inout Effects
  ) {
    calls[id] = PendingCall()
    if isClosed {
      resolve(id, .failure(LocationError.managerShutDown), &effects)
    } else {
      handle(.requested(request, id), &effects)
    }
  }

  mutating func wait(
    _ id: UInt64, _ caller: PendingCall<Authorization>.Caller
  ) -> PendingCall<Authorization>.Resumption? {
    let resumption = calls[id]?.wait(caller)
    if resumption != nil { calls[id] = nil }
    return resumption
  }

  mutating func cancel(_ id: UInt64, _ effects: inout Effects) {
    guard calls[id] != nil else { return }
    handle(.cancelled(id), &effects)
    resolve(id, .failure(CancellationError()), &effects)
  }

  private mutating func resolve(
    _ id: UInt64, _ result: Result<Authorization, any Error>, _ effects: inout Effects
  ) {
    guard let resumption = calls[id]?.resolve(result) else { return }
    calls[id] = nil
    effects.authorizations.append(resumption)
  }

  // MARK: Tasks

  mutating func keepObserver(_ task: Task<Void, Never>, _ effects: inout Effects) {
    if isClosed { effects.cancelled.append(task) } else { observer = task }
  }

  mutating func keep(
    _ task: Task<Void, Never>, for asked: Question, _ effects: inout Effects
  ) {
    if isClosed {
      effects.cancelled.append(task)
    } else if isAsking, asked.number == questions {
      question = task
    }
  }

  mutating func close(_ effects: inout Effects) {
    isClosed = true
    if let observer { effects.cancelled.append(observer) }
    if let question { effects.cancelled.append(question) }
    (observer, question) = (nil, nil)
    for id in Array(calls.keys) {
      resolve(id, .failure(LocationError.managerShutDown), &effects)
    }
  }
}

extension LocationError {
  static var managerShutDown: Self {
    Self(.shutDown, "The location manager was shut down; make a new one.")
  }
}
