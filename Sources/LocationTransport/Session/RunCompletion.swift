package import AsyncLocation

/// The outcome of a run and the handler that receives it, exactly once.
package struct RunCompletion {
  package typealias Outcome = Result<[Receiver], any Error>

  private var handler: ((Outcome) -> Void)?
  private var outcome: Outcome?

  package init() {}

  /// Whether the outcome is decided.
  package var isDecided: Bool { outcome != nil }

  /// Stores the handler. If the outcome is already decided, calls the handler and returns false.
  mutating func begin(_ handler: @escaping (Outcome) -> Void) -> Bool {
    if let outcome {
      handler(outcome)
      return false
    }
    self.handler = handler
    return true
  }

  /// Decides the outcome.
  package mutating func decide(_ outcome: Outcome) { self.outcome = outcome }

  /// Removes the handler and returns it with the outcome; nil unless there are both.
  package mutating func take() -> (handler: (Outcome) -> Void, outcome: Outcome)? {
    guard let outcome, let handler else { return nil }
    self.handler = nil
    return (handler, outcome)
  }
}

extension RunCompletion.Outcome {
  /// Whether the run was stopped.
  package var isCancellation: Bool {
    if case .failure(let error) = self { error is CancellationError } else { false }
  }
}
