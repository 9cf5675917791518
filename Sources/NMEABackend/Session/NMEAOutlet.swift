import AsyncLocation
import LocationTransport

/// Collects a run's events in order, emits them, and reports the run's end once. Confined to its
/// transport's thread, as the run is.
final class NMEAOutlet: SessionOutlet {
  typealias Emit = @Sendable ([BackendEvent]) -> Void

  private let statistics: Locked<NMEAStatistics>
  private var emit: Emit?
  var completion = RunCompletion()
  /// The events that are not emitted yet.
  var events: [BackendEvent] = []

  init(_ statistics: Locked<NMEAStatistics>, emit: @escaping Emit) {
    (self.statistics, self.emit) = (statistics, emit)
  }

  func notify(_ state: ConnectionState) {
    statistics.withLock { statistics in
      if let problem = state.problem { statistics.lastError = problem }
      statistics.change(to: state.phase)
    }
    // The first receiver is the one in use.
    events.append(.connection(state.preferring(state.receivers.first?.name)))
  }

  func append(_ event: BackendEvent) { events.append(event) }

  func flush() {
    if !events.isEmpty {
      emit?(events)
      events.removeAll(keepingCapacity: true)
    }
    guard let (handler, outcome) = completion.take() else { return }
    if outcome.isCancellation { _ = statistics.withLock { $0.change(to: .idle) } }
    emit = nil
    handler(outcome)
  }
}
