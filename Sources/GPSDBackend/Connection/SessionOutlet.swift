import AsyncLocation
import FoundationEssentials

/// What a run has to tell: events in the order of what happened, and its end, once. Confined to its
/// transport's thread as the run is.
final class SessionOutlet<Success: Sendable> {
  private let statistics: Locked<GPSDStatistics>
  /// Whether this run is what statistics tell the state of; asking for a list is no state.
  private let isWatching: Bool
  private let wanted: WantedKinds
  private let workspace: Workspace
  private var emit: GPSDSession.Emit?
  private var completion: ((Result<Success, any Error>) -> Void)?
  private var outcome: Result<Success, any Error>?
  // Not checked at every access: every report touches them, on one thread.
  @exclusivity(unchecked) private var assembler: EventAssembler
  @exclusivity(unchecked) private var preference = PreferenceWatch()
  @exclusivity(unchecked) private var events: [BackendEvent] = []

  init(
    _ configuration: GPSDConfiguration, wanted: WantedKinds, workspace: Workspace,
    statistics: Locked<GPSDStatistics>, isWatching: Bool = true, emit: @escaping GPSDSession.Emit
  ) {
    (self.wanted, self.workspace) = (wanted, workspace)
    self.statistics = statistics
    self.isWatching = isWatching
    self.emit = emit
    assembler = EventAssembler(configuration)
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

  func end(_ outcome: Result<Success, any Error>) { self.outcome = outcome }

  func append(_ event: BackendEvent) {
    borrowMemory()
    events.append(event)
  }

  /// Sees to it that there is room for events where others had theirs.
  @inline(__always)
  private func borrowMemory() {
    if events.capacity == 0 { events = workspace.takeEvents() }
  }

  /// Tells a state of the connection, with the receiver that is preferred.
  func tell(_ state: ConnectionState) { tell(preferred: preference.state(state, assembler)) }

  /// Forgets what belongs to the connection that was.
  func beginConnection() { assembler.reset() }

  /// Begins to make events of what came at an instant, of the kinds that are asked for.
  func beginChunk() {
    borrowMemory()
    assembler.kinds = wanted.current
  }

  @inline(__always)
  func assemble(_ report: borrowing TimePositionVelocityReport, arrival: Duration) {
    assemble { $0.add(report, arrival: arrival, at: { Date() }, to: &$1) }
  }

  func assemble(_ report: borrowing SkyReport, arrival: Duration) {
    assemble { $0.add(report, arrival: arrival, at: { Date() }, to: &$1) }
  }

  func assemble(_ report: borrowing AttitudeReport, arrival: Duration) {
    assemble { $0.add(report, arrival: arrival, at: { Date() }, to: &$1) }
  }

  func assemble(_ report: borrowing DeviceReport, arrival: Duration) {
    assemble { $0.add(report, arrival: arrival, to: &$1) }
  }

  /// Makes events of a report. A change of the preferred receiver is told before the first one that
  /// shows it.
  @inline(__always)
  private func assemble(_ add: (inout EventAssembler, inout [BackendEvent]) -> Void) {
    let index = events.count
    add(&assembler, &events)
    guard assembler.preferred != preference.seen, let state = preference.change(assembler)
    else { return }
    tell(preferred: state)
    events.insert(events.removeLast(), at: index)
  }

  /// Hands over what has come together, and then, if this was it, the end.
  func flush() {
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

  private func tell(preferred state: ConnectionState) {
    let isWatching = isWatching
    statistics.withLock { statistics in
      if isWatching {
        statistics.take(state)
      } else if let problem = state.problem {
        statistics.lastError = problem
      }
    }
    append(.connection(state))
  }
}

extension EventAssembler {
  init(_ configuration: GPSDConfiguration) {
    self.init(
      selecting: configuration.receiverSelection == .best,
      ReceiverSelection.Configuration(fixTimeout: configuration.fixTimeout))
  }
}
