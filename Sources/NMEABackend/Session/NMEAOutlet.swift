import AsyncLocation
import LocationTransport

/// Collects a run's events in order, emits them, and reports the run's end once. Confined to its
/// transport's thread, as the run is.
final class NMEAOutlet: SessionOutlet {
  typealias Emit = @Sendable ([BackendEvent]) -> Void

  private let statistics: Locked<NMEAStatistics>
  private var emit: Emit?
  private var completion: ((Result<[Receiver], any Error>) -> Void)?
  private var outcome: Result<[Receiver], any Error>?
  /// The events that are not emitted yet.
  var events: [BackendEvent] = []

  init(_ statistics: Locked<NMEAStatistics>, emit: @escaping Emit) {
    (self.statistics, self.emit) = (statistics, emit)
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
    statistics.withLock { statistics in
      if let problem = state.problem { statistics.lastError = problem }
      statistics.enter(state.phase)
    }
    events.append(.connection(state))
  }

  func append(_ event: BackendEvent) { events.append(event) }

  func end(_ outcome: Result<[Receiver], any Error>) { self.outcome = outcome }

  func flush() {
    if !events.isEmpty {
      emit?(events)
      events.removeAll(keepingCapacity: true)
    }
    guard let outcome, let completion else { return }
    if case .failure(let error) = outcome, error is CancellationError {
      statistics.withLock { $0.enter(.idle) }
    }
    self.completion = nil
    emit = nil
    completion(outcome)
  }
}
