package import AsyncLocation

/// One run of a backend over one kind of link, confined to its transport's thread.
///
/// The extension performs the actions of ``ConnectionStateMachine``; a session performs those of
/// its link. The reports that one event causes are emitted together.
package protocol Session: AnyObject, SendableMetatype {
  associatedtype Link: LinkStateMachine
  associatedtype Outlet: SessionOutlet

  var transport: any Transport { get }
  var outlet: Outlet { get }
  var state: SessionState<Link> { get set }

  func perform(_ action: Link.Action)
  /// Closes the connection or cancels the attempt, whose later events are ignored.
  func close()
}

/// Collects the reports of a session and its result. Confined to the session's thread.
package protocol SessionOutlet: AnyObject {
  var completion: RunCompletion { get set }
  func notify(_ state: ConnectionState)
  func append(_ event: BackendEvent)
  /// Decides the end of the run.
  func end(_ outcome: RunCompletion.Outcome)
  /// Emits the collected reports and then, if the run has ended, calls the completion handler.
  func flush()
}

extension SessionOutlet {
  /// Whether the run's end is decided. Later events are then ignored.
  package var hasEnded: Bool { completion.isDecided }

  package func end(_ outcome: RunCompletion.Outcome) { completion.decide(outcome) }
}

/// The decisions of a session and its only timer.
package struct SessionState<Link: LinkStateMachine> {
  fileprivate var machine: ConnectionStateMachine<Link>
  fileprivate var timer: TimerID?
  private var generator: any RandomNumberGenerator

  package init(_ link: Link, generator: any RandomNumberGenerator) {
    machine = ConnectionStateMachine(link)
    self.generator = generator
  }

  /// The address of the server in connection states.
  package var endpoint: String { machine.endpoint }

  fileprivate mutating func handle(
    _ event: ConnectionStateMachine<Link>.Event, at now: Duration
  ) -> [ConnectionStateMachine<Link>.Action] {
    machine.handle(event, at: now, using: &generator)
  }
}

extension Session {
  /// Starts the run. Calls `completion` exactly once, and emits nothing after that. If the run was
  /// stopped before, calls `completion` immediately.
  package func start(_ completion: @escaping (RunCompletion.Outcome) -> Void) {
    if outlet.completion.begin(completion) { happened(.started) }
  }

  /// Ends the run with `CancellationError`. Does nothing if the run has ended.
  package func stop() { happened(.stopped) }

  /// Handles an event and emits the reports that it causes.
  package func happened(_ event: ConnectionStateMachine<Link>.Event) {
    decide(event)
    outlet.flush()
  }

  /// Handles an event without emitting its reports, which the next ``SessionOutlet/flush()`` does.
  package func decide(_ event: ConnectionStateMachine<Link>.Event) {
    guard !outlet.hasEnded else { return }
    for action in state.handle(event, at: transport.now()) { perform(action) }
  }

  private func perform(_ action: ConnectionStateMachine<Link>.Action) {
    switch action {
    case .link(let action): perform(action)
    case .arm(let instant):
      disarm()
      state.timer = transport.arm(at: instant) { [self] in
        state.timer = nil
        happened(.timerFired)
      }
    case .disarm: disarm()
    case .close: close()
    case .report(let state): outlet.notify(state)
    case .reportUnavailable(let error): outlet.append(.unavailable(error))
    case .reportRefusal(let status): outlet.append(.authorization(status))
    case .finish(let receivers): outlet.end(.success(receivers))
    case .fail(let error): outlet.end(.failure(error))
    case .end: outlet.end(.failure(CancellationError()))
    }
  }

  private func disarm() {
    guard let timer = state.timer else { return }
    transport.cancel(timer)
    state.timer = nil
  }
}

extension Session {
  /// Postpones the timer to the time at which the connection counts as silent.
  package func postponeSilence() {
    guard let timer = state.timer, let deadline = state.machine.silenceDeadline else { return }
    transport.postpone(timer, to: deadline)
  }
}

extension LoopBound where State: Session {
  /// Runs a session until it ends or the task is cancelled.
  package func run() async throws -> [Receiver] {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { caller in
        submit { session in session.start { caller.resume(with: $0) } }
      }
    } onCancel: {
      submit { $0.stop() }
    }
  }
}
