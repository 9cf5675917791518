import AsyncLocation
import FoundationEssentials
import GPSDReports
import LocationTransport

/// Collects a run's events in order, emits them, and reports the run's end once. Confined to its
/// transport's thread, as the run is.
final class EventOutlet: SessionOutlet {
  typealias Emit = @Sendable ([BackendEvent]) -> Void

  private let statistics: Locked<GPSDStatistics>
  /// Whether this run updates the connection state in the statistics. False for a request for the
  /// list of receivers.
  private let isWatching: Bool
  private let wanted: WantedKinds
  private let transport: any Transport
  let workspace: GPSDWorkspace
  private var emit: Emit?
  var completion = RunCompletion()
  // Every report accesses these, on one thread, so dynamic exclusivity checks are disabled.
  @safe @exclusivity(unchecked) private var assembler: EventAssembler
  @safe @exclusivity(unchecked) private var preference = PreferenceWatch()
  @safe @exclusivity(unchecked) private var batch = EventBatch { Date() }
  /// The last receiver that this connection preferred. Retained while no receiver is preferred, so
  /// that the choice of another receiver after a gap counts as a change.
  private var lastPreferred: String?
  /// Fires when the rest of an epoch does not arrive in time.
  private var epochTimer: (id: TimerID, instant: Duration)?

  init(
    _ configuration: GPSDConfiguration, wanted: WantedKinds, nameLimit: DeviceNameLimit,
    transport: any Transport, statistics: Locked<GPSDStatistics>, isWatching: Bool = true,
    emit: @escaping Emit
  ) {
    (self.wanted, self.transport) = (wanted, transport)
    workspace = transport.workspace.part(GPSDWorkspace.init)
    self.statistics = statistics
    self.isWatching = isWatching
    self.emit = emit
    assembler = EventAssembler(configuration, nameLimit: nameLimit)
  }

  /// Ends the run after delivering the held epochs.
  func end(_ outcome: RunCompletion.Outcome) {
    closeEpochs()
    completion.decide(outcome)
  }

  /// Appends an event after delivering the held epochs.
  func append(_ event: BackendEvent) {
    closeEpochs()
    add(event)
  }

  /// Appends an event.
  private func add(_ event: BackendEvent) {
    borrowMemory()
    batch.events.append(event)
  }

  /// Reuses the event array of the workspace if there is no array yet.
  @inline(__always)
  private func borrowMemory() {
    if batch.events.capacity == 0 { batch.events = workspace.takeEvents() }
  }

  /// Reports a connection state together with the preferred receiver.
  func notify(_ state: ConnectionState) {
    if state.phase != .connected { closeEpochs() }
    record(preference.state(state, assembler))
  }

  /// Discards the state of the previous connection.
  func beginConnection() {
    closeEpochs()
    assembler.reset()
  }

  /// Starts assembling events for a chunk, of the kinds that are currently requested.
  func beginChunk() {
    borrowMemory()
    assembler.beginChunk(wanted.current)
    workspace.decoder.keepsSatellites = assembler.kinds.contains(.satellites)
  }

  @inline(__always)
  func assemble(_ report: borrowing TPV, arrival: Duration) {
    assemble(arrival) { $0.add(report, to: &$1) }
  }

  func assemble(_ report: borrowing SKY, arrival: Duration) {
    assemble(arrival) { $0.add(report, to: &$1) }
  }

  func assemble(_ report: borrowing ATT, arrival: Duration) {
    assemble(arrival) { $0.add(report, to: &$1) }
  }

  func assemble(inertial report: borrowing ATT, arrival: Duration) {
    assemble(arrival) { $0.add(inertial: report, to: &$1) }
  }

  func assemble(_ report: borrowing DeviceReport, arrival: Duration) {
    assemble(arrival) { $0.add(report, to: &$1) }
  }

  /// Assembles the events of a report. A change of the preferred receiver is reported before the
  /// first event that shows it.
  @inline(__always)
  private func assemble(
    _ arrival: Duration, _ add: (inout EventAssembler, inout EventBatch) -> Void
  ) {
    let index = batch.events.count
    batch.arrival = arrival
    add(&assembler, &batch)
    guard assembler.preferred != preference.seen, let state = preference.change(assembler)
    else { return }
    record(state)
    batch.events.insert(batch.events.removeLast(), at: index)
    assembler.eventsMoved(from: index, by: 1)
  }

  // MARK: Epochs

  /// Delivers all held epochs.
  private func closeEpochs() {
    guard assembler.holdsEpochs else { return }
    borrowMemory()
    let now = transport.now()
    assemble(now) { $0.closeEpochs(to: &$1) }
  }

  /// Delivers the held epochs whose deadline has passed.
  private func epochTimerFired() {
    epochTimer = nil
    let now = transport.now()
    beginChunk()
    assemble(now) { $0.closeEpochs(dueBy: now, to: &$1) }
    flush()
  }

  /// Sets the timer to the earliest deadline of the held epochs; cancels it if none is held.
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

  // MARK: Emitting

  /// Emits the collected events and then, if the run has ended, calls the completion handler.
  func flush() {
    if assembler.holdsEpochs || epochTimer != nil { updateEpochTimer() }
    if assembler.discardedCount > 0 {
      let count = assembler.takeDiscardedCount()
      statistics.withLock { $0.repeatedPositions += count }
    }
    if !batch.events.isEmpty { emit?(batch.events) }
    if batch.events.capacity > 0 { workspace.recycle(&batch.events) }
    guard let (handler, outcome) = completion.take() else { return }
    if isWatching, outcome.isCancellation { statistics.withLock { $0.enter(.idle) } }
    emit = nil
    handler(outcome)
  }

  /// Updates the statistics, and appends a state that already contains the preferred receiver.
  private func record(_ state: ConnectionState) {
    if isWatching {
      let changesReceiver = changesReceiver(state)
      statistics.withLock { $0.connectionChanged(to: state, changesReceiver: changesReceiver) }
    } else if let problem = state.problem {
      statistics.withLock { $0.lastError = problem }
    }
    add(.connection(state))
  }

  /// Stores the state's preferred receiver. Returns whether it differs from the last one of this
  /// connection.
  private func changesReceiver(_ state: ConnectionState) -> Bool {
    let last = lastPreferred
    if state.phase != .connected {
      lastPreferred = nil
    } else if let preferred = state.preferredReceiver {
      lastPreferred = preferred
    }
    return last != nil && lastPreferred != nil && lastPreferred != last
  }
}

extension EventAssembler {
  init(_ configuration: GPSDConfiguration, nameLimit: DeviceNameLimit) {
    self.init(
      selecting: configuration.receiverSelection == .best,
      ReceiverSelection.Configuration(fixTimeout: configuration.fixTimeout), names: nameLimit,
      mergesEpochs: configuration.epochs == .merged)
  }
}
