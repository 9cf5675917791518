package import AsyncLocation

/// Decides how to open and supervise one connection at a time, over one kind of link, such as a
/// socket. ``ConnectionStateMachine`` decides when to connect again. Performs no I/O.
package protocol LinkStateMachine: Sendable {
  associatedtype Event: Hashable, Sendable
  associatedtype Action: Hashable, Sendable
  typealias Decision = LinkDecision<Action>

  /// The address of the server in connection states.
  var endpoint: String { get }
  var reconnection: Reconnection { get }
  /// Whether the current connection has delivered an expected answer or report. After such a
  /// connection, attempts are counted from 0 again.
  var hasWorked: Bool { get }
  /// The actions to perform before a connection is closed because the run is stopped.
  var closingActions: [Action] { get }
  /// The time at which an open connection counts as silent unless more data arrives; nil if silence
  /// has no consequence.
  ///
  /// The deadline changes with every report. It is a property instead of a decision, so that the
  /// session can postpone its timer, which wakes no thread, instead of setting it again.
  var silenceDeadline: Duration? { get }

  /// Whether to attempt another connection after an error. If the error is not transient, the
  /// attempt follows the maximum delay.
  func mayHeal(_ error: LocationError) -> Bool

  /// Starts a connection. Called after the previous connection was closed.
  mutating func connect(at now: Duration) -> [Decision]
  mutating func handle(_ event: Event, at now: Duration) -> [Decision]
  mutating func timerFired(at now: Duration) -> [Decision]
}

extension LinkStateMachine {
  package var silenceDeadline: Duration? { nil }
  package func mayHeal(_ error: LocationError) -> Bool { error.isTransient }

  /// The maximum number of receivers in a connection state.
  package static var maximumReceivers: Int { 256 }
}

/// A decision of a ``LinkStateMachine``. No decision follows `finish` or `fail` until the next
/// connection starts.
package enum LinkDecision<Action: Hashable & Sendable>: Hashable, Sendable {
  case perform(Action)
  /// Sets the only timer, replacing its current deadline.
  case arm(at: Duration)
  case disarm
  /// Closes the connection or cancels the attempt, whose later events are ignored.
  case close
  /// Reports that the server is connected. The error is a problem that does not end the connection,
  /// such as a missing receiver. `devices` are the devices whose reports this connection delivers;
  /// nil if they are not known.
  case reportConnected(LocationError?, receivers: [Receiver], devices: Set<String>?)
  /// Reports that no receiver sends reports.
  case reportUnavailable(LocationError)
  /// Ends a connection that has worked, and connects again immediately.
  case reconnect
  /// Ends the run successfully with the list of receivers.
  case finish([Receiver])
  /// Ends the connection, and the run if the error cannot heal or no attempts are left.
  case fail(LocationError)
}
