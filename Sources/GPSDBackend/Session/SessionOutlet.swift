import AsyncLocation
import FoundationEssentials

/// What a run has to tell: events in the order of what happened, and its end, once. LoopBound to its
/// transport's thread as the run is.
final class SessionOutlet<Success: Sendable> {
  private let statistics: Locked<GPSDStatistics>
  /// Whether this run is what statistics tell the state of; asking for a list is no state.
  private let isWatching: Bool
  private let wanted: WantedKinds
  private let transport: any Transport
  private let workspace: Workspace
  private var emit: GPSDSession.Emit?
  private var completion: ((Result<Success, any Error>) -> Void)?
  private var outcome: Result<Success, any Error>?
  // Not checked at every access: every report touches them, on one thread.
  @exclusivity(unchecked) private var assembler: EventAssembler
  @exclusivity(unchecked) private var preference = PreferenceWatch()
  @exclusivity(unchecked) private var events: [BackendEvent] = []
  /// Ends the wait for the rest of an epoch.
  private var epochTimer: (id: TimerID, instant: Duration)?

  init(
    _ configuration: GPSDConfiguration, wanted: WantedKinds, names: DeviceNameLimit,
    transport: any Transport, statistics: Locked<GPSDStatistics>, isWatching: Bool = true,
    emit: @escaping GPSDSession.Emit
  ) {
    (self.wanted, self.transport, workspace) = (wanted, transport, transport.workspace)
    self.statistics = statistics
    self.isWatching = isWatching
    self.emit = emit
    assembler = EventAssembler(configuration, names: names)
  }

  /// True once the end is decided: then nothing else happens.
  var hasEnded: Bool { outcome != nil }

  /// Takes whom to tell the end, which may be decided already; false then, and the end is told.
  func begin(_ completion: @escaping (Result<Success, any Error>) -> Void) -> Bool {
    if let outcome {
      completion(outcome)
      return false
    }
    self.completion = completion
    return true
  }

  /// Ends the run, after the epochs that are kept.
  func end(_ outcome: Result<Success, any Error>) {
    closeEpochs()
    self.outcome = outcome
  }

  /// Adds an event after the epochs that are kept.
  func append(_ event: BackendEvent) {
    closeEpochs()
    add(event)
  }

  private func add(_ event: BackendEvent) {
    borrowMemory()
    events.append(event)
  }

  /// Sees to it that there is room for events where others had theirs.
  @inline(__always)
  private func borrowMemory() {
    if events.capacity == 0 { events = workspace.takeEvents() }
  }

  /// Tells a state of the connection, with the receiver that is preferred.
  func notify(_ state: ConnectionState) {
    if state.phase != .connected { closeEpochs() }
    notify(preferred: preference.state(state, assembler))
  }

  /// Forgets what belongs to the connection that was.
  func beginConnection() {
    closeEpochs()
    assembler.reset()
  }

  /// Begins to make events of what came at an instant, of the kinds that are asked for.
  func beginChunk() {
    borrowMemory()
    assembler.beginChunk(wanted.current)
  }

  /// Whether events of the chunk may be views of the sky.
  var makesSatelliteViews: Bool { assembler.kinds.contains(.satellites) }

  @inline(__always)
  func assemble(_ report: borrowing TPV, arrival: Duration) {
    assemble { $0.add(report, arrival: arrival, at: { Date() }, to: &$1) }
  }

  func assemble(_ report: borrowing SKY, arrival: Duration) {
    assemble { $0.add(report, arrival: arrival, at: { Date() }, to: &$1) }
  }

  func assemble(_ report: borrowing ATT, arrival: Duration) {
    assemble { $0.add(report, arrival: arrival, at: { Date() }, to: &$1) }
  }

  func assemble(inertial report: borrowing ATT, arrival: Duration) {
    assemble { $0.add(inertial: report, arrival: arrival, at: { Date() }, to: &$1) }
  }

  func assemble(_ report: borrowing DeviceReport, arrival: Duration) {
    assemble { $0.add(report, arrival: arrival, at: { Date() }, to: &$1) }
  }

  /// Makes events of a report. A change of the preferred receiver is told before the first one that
  /// shows it.
  @inline(__always)
  private func assemble(_ add: (inout EventAssembler, inout [BackendEvent]) -> Void) {
    let index = events.count
    add(&assembler, &events)
    guard assembler.preferred != preference.seen, let state = preference.change(assembler)
    else { return }
    notify(preferred: state)
    events.insert(events.removeLast(), at: index)
    assembler.eventsMoved(from: index, by: 1)
  }

  // MARK: Epochs

  /// Delivers all epochs that are kept.
  private func closeEpochs() {
    guard assembler.holdsEpochs else { return }
    borrowMemory()
    let now = transport.now()
    assemble { $0.closeEpochs(arrival: now, at: { Date() }, to: &$1) }
  }

  /// Delivers the epochs of which nothing more arrived in time.
  private func epochTimerFired() {
    epochTimer = nil
    let now = transport.now()
    beginChunk()
    assemble { $0.closeEpochs(dueBy: now, arrival: now, at: { Date() }, to: &$1) }
    flush()
  }

  /// Sees to it that the timer is armed while an epoch is kept, and only then.
  private func updateEpochTimer() {
    let deadline = assembler.epochDeadline
    if let epochTimer {
      if epochTimer.instant == deadline { return }
      transport.cancel(epochTimer.id)
    }
    epochTimer = deadline.map { instant in
      (transport.arm(at: instant) { [self] in epochTimerFired() }, instant)
    }
  }

  // MARK: Handing over

  /// Hands over what has come together, and then, if this was it, the end.
  func flush() {
    if assembler.holdsEpochs || epochTimer != nil { updateEpochTimer() }
    if assembler.discardedCount > 0 {
      let count = assembler.takeDiscardedCount()
      statistics.withLock { $0.repeatedPositions += count }
    }
    if !events.isEmpty { emit?(events) }
    if events.capacity > 0 { workspace.takeBack(&events) }
    guard let outcome, let completion else { return }
    if isWatching, case .failure(let error) = outcome, error is CancellationError {
      statistics.withLock { $0.enter(.idle) }
    }
    self.completion = nil
    emit = nil
    completion(outcome)
  }

  private func notify(preferred state: ConnectionState) {
    let isWatching = isWatching
    statistics.withLock { statistics in
      if isWatching {
        statistics.take(state)
      } else if let problem = state.problem {
        statistics.lastError = problem
      }
    }
    add(.connection(state))
  }
}

extension EventAssembler {
  init(_ configuration: GPSDConfiguration, names: DeviceNameLimit) {
    self.init(
      selecting: configuration.receiverSelection == .best,
      ReceiverSelection.Configuration(fixTimeout: configuration.fixTimeout), names: names,
      mergesEpochs: configuration.epochs == .merged)
  }
}
