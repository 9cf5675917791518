/// How a manager's backend stands with its source of positions.
public struct ConnectionState: Sendable, Hashable {
  /// The stages of a connection.
  @nonexhaustive
  public enum Phase: String, Sendable, Hashable, Codable, CaseIterable {
    /// Nobody asks for anything, or may.
    case idle
    /// On the way to the source.
    case connecting
    /// The source answers.
    case connected
    /// Lost or refused; another attempt follows after ``ConnectionState/retryDelay``.
    case waiting
    /// Given up: what happened does not heal by itself.
    case failed
  }

  /// The stage.
  public let phase: Phase
  /// What is connected to, such as "localhost:2947".
  public let endpoint: String?
  /// Consecutive attempts without success, 0 once connected.
  public let attempts: Int
  /// How long until the next attempt.
  public let retryDelay: Duration?
  /// What is wrong, also while connected: a receiver that the source lacks, for example.
  public let problem: LocationError?
  /// The receivers that the source has.
  public let receivers: [Receiver]
  /// The receiver that serves those who name none, by ``Receiver/name``; nil while there is none,
  /// and when all serve them.
  public let preferredReceiver: String?

  /// Creates a state.
  public init(
    _ phase: Phase, endpoint: String? = nil, attempts: Int = 0, retryDelay: Duration? = nil,
    problem: LocationError? = nil, receivers: [Receiver] = [],
    preferredReceiver: String? = nil
  ) {
    self.phase = phase
    self.endpoint = endpoint
    self.attempts = attempts
    self.retryDelay = retryDelay
    self.problem = problem
    self.receivers = receivers
    self.preferredReceiver = preferredReceiver
  }
}
