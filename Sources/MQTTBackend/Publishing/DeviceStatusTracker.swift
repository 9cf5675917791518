import AsyncLocation
import FoundationEssentials
import OwnTracks

/// Decides which states of a device are published. Performs no I/O.
///
/// A state is published when it differs from the one before. Attempts to connect do not count: only
/// what came of them does.
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

  /// The state to store next; nil if it is stored, or if nothing may leave or is known yet.
  var pending: State? {
    guard let authorization, authorization.isAuthorized, let connection else { return nil }
    let state = State(
      authorization: authorization.status, accuracy: authorization.accuracy,
      connection: connection.phase, problem: connection.problem?.code)
    return state == last ? nil : state
  }

  mutating func stored(_ state: State) { last = state }

  /// The stored content is deleted.
  mutating func deleted() { last = nil }
}
