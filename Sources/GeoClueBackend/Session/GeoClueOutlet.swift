import AsyncLocation
import LocationTransport

/// Collects a run's events in order, emits them, and reports the run's end once. Confined to the
/// event loop's thread.
final class GeoClueOutlet: SessionOutlet {
  typealias Emit = @Sendable ([BackendEvent]) -> Void

  private let statistics: Locked<GeoClueStatistics>
  /// Whether the states of this run are those of the backend. False for questions.
  private let isWatching: Bool
  private var emit: Emit?
  var completion = RunCompletion()
  private var events: [BackendEvent] = []

  init(
    statistics: Locked<GeoClueStatistics>, isWatching: Bool, emit: @escaping Emit
  ) {
    (self.statistics, self.isWatching, self.emit) = (statistics, isWatching, emit)
  }

  func notify(_ state: ConnectionState) {
    if isWatching {
      statistics.withLock { statistics in
        statistics.change(to: state.phase)
        if state.phase == .connected { statistics.connections += 1 }
        statistics.lastError = state.problem ?? statistics.lastError
      }
    }
    append(.connection(state))
  }

  func append(_ event: BackendEvent) { events.append(event) }

  func flush() {
    let emitted = events
    events = []
    if !emitted.isEmpty { emit?(emitted) }
    guard let (handler, outcome) = completion.take() else { return }
    if isWatching, outcome.isCancellation { _ = statistics.withLock { $0.change(to: .idle) } }
    emit = nil
    handler(outcome)
  }
}
