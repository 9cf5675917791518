import AsyncLocation
import LocationTransport

/// Reports connection states to the handler, and the end of a run to its caller exactly once.
/// Confined to the event loop's thread.
final class BrokerOutlet: SessionOutlet {
  private let handler: any BrokerHandler
  var completion = RunCompletion()

  init(_ handler: any BrokerHandler) { self.handler = handler }

  func notify(_ state: ConnectionState) { handler.changed(state) }

  /// Does nothing: the states of the connection and the error that ends the run report the same.
  func append(_ event: BackendEvent) {}

  func flush() {
    guard let (handler, outcome) = completion.take() else { return }
    handler(outcome)
  }
}
