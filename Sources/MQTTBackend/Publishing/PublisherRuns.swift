/// Decides which run of a publisher is the current one. Pure.
///
/// The next run exists before it begins, so that streams that are opened between two runs belong to
/// it.
struct PublisherRuns<Run: Sendable>: Sendable {
  private enum State: Sendable {
    case ended(next: Run)
    case running(Run)
  }

  private var state: State

  init(first: Run) { state = .ended(next: first) }

  /// The run in progress; between two runs, the next one.
  var current: Run {
    switch state {
    case .ended(let run), .running(let run): run
    }
  }

  /// The run in progress; nil between two runs.
  var running: Run? {
    switch state {
    case .ended: nil
    case .running(let run): run
    }
  }

  /// Begins the next run. Returns nil while another is in progress.
  mutating func begin() -> Run? {
    switch state {
    case .ended(let next):
      state = .running(next)
      return next
    case .running: return nil
    }
  }

  /// Ends the run in progress.
  mutating func end(next: Run) { state = .ended(next: next) }
}
