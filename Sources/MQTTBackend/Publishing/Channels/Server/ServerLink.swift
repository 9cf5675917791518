import AsyncLocation
import HTTPTransfer
import LocationTransport

/// Decides the next step after each POST to a server, and the state of the connection. Performs no
/// I/O.
struct ServerLink: Sendable {
  enum Outcome: Hashable, Sendable {
    /// The server answered. The next request must wait for `retryAfter`, if the server sent it.
    case answered(status: Int, retryAfter: Duration?)
    case failed(HTTPFailure)
  }

  enum Action: Hashable, Sendable {
    case report(ConnectionState)
    /// The publication is delivered.
    case acknowledge
    /// The publication will never be delivered.
    case refuse(LocationError)
    /// Requests the publications again from the storage.
    case reopen
    /// Requests the publications again after a delay.
    case wait(Duration)
    /// Ends the run.
    case fail(LocationError)
  }

  private let endpoint: String
  private var backoff: Backoff
  private var failures = 0
  /// Whether the server has accepted a message in this run, or refused one as invalid.
  private var hasWorked = false
  /// The number of refusals since the server accepted a message.
  private var refusals = 0
  private var reported: ConnectionState?

  init(_ endpoint: String, _ reconnection: Reconnection) {
    self.endpoint = endpoint
    backoff = Backoff(reconnection)
  }

  /// A run or an attempt after a failure began.
  mutating func opened() -> [Action] {
    report(ConnectionState(.connecting, endpoint: endpoint, attempts: failures))
  }

  /// The credentials could not be read.
  mutating func preparationFailed(
    _ error: LocationError, using generator: inout some RandomNumberGenerator
  ) -> [Action] { failed(error, using: &generator) }

  /// A POST ended.
  mutating func ended(
    _ outcome: Outcome, using generator: inout some RandomNumberGenerator
  ) -> [Action] {
    switch outcome {
    case .answered(let status, let wait):
      let error = LocationError.answered(by: endpoint, status: status, retryAfter: wait)
      switch status {
      case 200...299:
        refusals = 0
        return [.acknowledge] + worked(nil)
      case 400, 413, 422:
        refusals += 1
        // A server also returns these statuses for a wrong certificate or address. Messages are
        // then dropped one at a time, with the longest wait in between.
        guard !refusals.isMultiple(of: 2) else {
          let reason = LocationError(
            .invalidValue,
            "\(endpoint) refuses each message (status \(status)), which a wrong address or "
              + "certificate may cause; they wait.")
          return failed(reason, after: wait ?? .zero, mayHeal: true, using: &generator)
        }
        return [.refuse(error)]
          + (refusals == 1
            ? worked(error)
            : report(ConnectionState(.connected, endpoint: endpoint, problem: error)))
      default: return failed(error, after: wait ?? .zero, using: &generator)
      }
    case .failed(.withheld): return [.reopen]
    case .failed(let failure):
      return failed(.failed(endpoint, failure), using: &generator)
    }
  }

  private mutating func worked(_ problem: LocationError?) -> [Action] {
    (failures, hasWorked) = (0, true)
    backoff.succeeded()
    return report(ConnectionState(.connected, endpoint: endpoint, problem: problem))
  }

  /// Waits after a recoverable error if attempts are left; otherwise ends the run.
  private mutating func failed(
    _ error: LocationError, after wait: Duration = .zero, mayHeal: Bool = false,
    using generator: inout some RandomNumberGenerator
  ) -> [Action] {
    failures += 1
    guard mayHeal || error.mayHeal(afterSuccess: hasWorked), !backoff.isExhausted else {
      return report(
        ConnectionState(.failed, endpoint: endpoint, attempts: failures, problem: error))
        + [.fail(error)]
    }
    // A random delay is added to the server's time, so that not all clients send requests at once.
    let delay = wait + backoff.failed(isTransient: error.isTransient, using: &generator)
    return report(
      ConnectionState(
        .waiting, endpoint: endpoint, attempts: failures, retryDelay: delay, problem: error))
      + [.wait(delay)]
  }

  private mutating func report(_ state: ConnectionState) -> [Action] {
    guard state != reported else { return [] }
    reported = state
    return [.report(state)]
  }
}
