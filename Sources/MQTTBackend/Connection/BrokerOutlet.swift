import AsyncLocation
import LocationTransport

/// Reports connection states to the handler, and the end of a run to its caller exactly once.
/// Confined to the event loop's thread.
final class BrokerOutlet: SessionOutlet {
  private let handler: any BrokerHandler
  private var completion: ((Result<[Receiver], any Error>) -> Void)?
  private var outcome: Result<[Receiver], any Error>?

  init(_ handler: any BrokerHandler) { self.handler = handler }

  var hasEnded: Bool { outcome != nil }

  func begin(_ completion: @escaping (Result<[Receiver], any Error>) -> Void) -> Bool {
    if let outcome {
      completion(outcome)
      return false
    }
    self.completion = completion
    return true
  }

  func notify(_ state: ConnectionState) { handler.changed(state) }

  /// Does nothing: the states of the connection and the error that ends the run report the same.
  func append(_ event: BackendEvent) {}

  func end(_ outcome: Result<[Receiver], any Error>) { self.outcome = outcome }

  func flush() {
    guard let outcome, let completion else { return }
    self.completion = nil
    completion(outcome)
  }
}
