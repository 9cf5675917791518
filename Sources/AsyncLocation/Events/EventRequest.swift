/// A request for one location that is answered by events. At most one request is pending.
struct EventRequest: Sendable {
  private struct Pending: Sendable {
    let accuracy: DesiredAccuracy
    var machine: OneShotStateMachine
  }

  private var lastNumber: UInt64 = 0
  private var pending: Pending?

  /// The demand of the pending request; nil without one.
  var demand: BackendDemand? {
    pending.map { BackendDemand(kinds: .locations, desiredAccuracy: $0.accuracy) }
  }

  /// The location that answers the pending request if no better one arrives in time.
  var best: Location? { pending?.machine.best }

  func isPending(_ number: UInt64) -> Bool { pending != nil && number == lastNumber }

  /// Begins a request.
  ///
  /// - Returns: Its number; nil if one is pending.
  mutating func begin(_ accuracy: DesiredAccuracy, timeout: Duration) -> UInt64? {
    guard pending == nil else { return nil }
    lastNumber += 1
    pending = Pending(
      accuracy: accuracy, machine: OneShotStateMachine(accuracy: accuracy, timeout: timeout))
    return lastNumber
  }

  /// Passes an event to the pending request. Every action except `none` ends the request.
  mutating func handle(_ event: OneShotStateMachine.Event) -> OneShotStateMachine.Action {
    let action = pending?.machine.handle(event) ?? .none
    if action != .none { pending = nil }
    return action
  }

  /// Ends the request without an answer. Returns false if none is pending.
  @discardableResult
  mutating func cancel() -> Bool { pending.take() != nil }
}
