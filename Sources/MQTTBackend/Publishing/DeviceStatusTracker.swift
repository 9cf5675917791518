import AsyncLocation
import FoundationEssentials
import OwnTracks

/// Decides which states of a device are published. Performs no I/O.
///
/// A state is published when it differs from the previous one. Connection attempts are not
/// published, only their outcomes.
struct DeviceStatusTracker: Sendable {
  /// A state without its time.
  struct State: Hashable, Sendable {
    let authorization: AuthorizationStatus
    let accuracy: AccuracyAuthorization
    let connection: ConnectionState.Phase
    let problem: LocationError.Code?

    func status(at time: Date) -> DeviceStatus {
      DeviceStatus(
        time: time, authorization: authorization, accuracy: accuracy, connection: connection,
        problem: problem)
    }
  }

  private var authorization: Authorization?
  private var connection: ConnectionState?
  private var last: State?

  mutating func changed(_ authorization: Authorization) { self.authorization = authorization }

  mutating func changed(_ connection: ConnectionState) {
    switch connection.phase {
    case .connected, .waiting, .failed: self.connection = connection
    case .idle, .connecting: break
    @unknown default: break
    }
  }

  /// The state to store next; nil if it is already stored, without permission, and while the
  /// authorization or the connection is unknown.
  var pending: State? {
    guard let authorization, authorization.isAuthorized, let connection else { return nil }
    let state = State(
      authorization: authorization.status, accuracy: authorization.accuracy,
      connection: connection.phase, problem: connection.problem?.code)
    return state == last ? nil : state
  }

  mutating func stored(_ state: State) { last = state }

  /// Handles the deletion of the stored content.
  mutating func deleted() { last = nil }
}
