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
  private var completion: ((Result<[Receiver], any Error>) -> Void)?
  private var outcome: Result<[Receiver], any Error>?
  private var events: [BackendEvent] = []

  init(
    statistics: Locked<GeoClueStatistics>, isWatching: Bool, emit: @escaping Emit
  ) {
    (self.statistics, self.isWatching, self.emit) = (statistics, isWatching, emit)
  }

  var hasEnded: Bool { outcome != nil }

  func begin(_ completion: @escaping (Result<[Receiver], any Error>) -> Void) -> Bool {
    if let outcome {
      completion(outcome)
      return false
    }
    self.completion = completion
    return true
  }

  func notify(_ state: ConnectionState) {
    if isWatching {
      statistics.withLock { statistics in
        statistics.phase = state.phase
        if state.phase == .connected { statistics.connections += 1 }
        statistics.lastError = state.problem ?? statistics.lastError
      }
    }
    append(.connection(state))
  }

  func append(_ event: BackendEvent) { events.append(event) }

  func end(_ outcome: Result<[Receiver], any Error>) { self.outcome = outcome }

  func flush() {
    let emitted = events
    events = []
    if !emitted.isEmpty { emit?(emitted) }
    guard let outcome, let completion else { return }
    if isWatching, case .failure(let error) = outcome, error is CancellationError {
      statistics.withLock { $0.phase = .idle }
    }
    self.completion = nil
    emit = nil
    completion(outcome)
  }
}
