import AsyncLocation

/// The state of the connection to a broker, for the error of a timeout. Pure.
struct BrokerConnection: Sendable {
  private(set) var state: ConnectionState?
  /// The last problem of the connection; kept while the next attempt runs, and until the broker is
  /// connected.
  private(set) var problem: LocationError?

  mutating func update(_ state: ConnectionState) {
    self.state = state
    problem = state.phase == .connected ? state.problem : state.problem ?? problem
  }

  /// A text that states that the broker is not connected; nil while it is connected.
  var reason: String? {
    guard let state else { return "not connected" }
    guard state.phase != .connected else { return nil }
    return "not connected" + (state.endpoint.map { " to " + $0 } ?? "")
  }
}
