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
  /// How long until the next attempt, to the nanosecond.
  public let retryDelay: Duration?
  /// What is wrong, also while connected: a receiver that the source lacks, for example, whether the
  /// backend's configuration or a subscriber's options name it.
  public let problem: LocationError?
  /// The receivers that the source has.
  public let receivers: [Receiver]
  /// The receiver that serves those who name none, by ``Receiver/name``; nil while there is none,
  /// and when all serve them.
  public let preferredReceiver: String?

  /// The names of the receivers that ``UpdateOptions/device`` and ``HeadingOptions/device`` can
  /// choose now. Nil while the source has not said, and for a source that has no list of receivers:
  /// then no name is taken for wrong.
  public let devices: Set<String>?

  /// Creates a state. The devices to choose from are the receivers, or unknown if there are none.
  public init(
    _ phase: Phase, endpoint: String? = nil, attempts: Int = 0, retryDelay: Duration? = nil,
    problem: LocationError? = nil, receivers: [Receiver] = [],
    preferredReceiver: String? = nil
  ) {
    self.init(
      phase, endpoint: endpoint, attempts: attempts, retryDelay: retryDelay, problem: problem,
      receivers: receivers, preferredReceiver: preferredReceiver,
      devices: receivers.isEmpty ? nil : Set(receivers.map(\.name)))
  }

  /// Creates a state of a source that knows which devices can be chosen, also when there is none, or
  /// that has receivers and does not know whether they are all.
  public init(
    _ phase: Phase, endpoint: String? = nil, attempts: Int = 0, retryDelay: Duration? = nil,
    problem: LocationError? = nil, receivers: [Receiver] = [],
    preferredReceiver: String? = nil, devices: Set<String>?
  ) {
    self.phase = phase
    self.endpoint = endpoint
    self.attempts = attempts
    self.retryDelay = retryDelay.map(ExactSeconds.exact)
    self.problem = problem
    self.receivers = receivers
    self.preferredReceiver = preferredReceiver
    self.devices = devices
  }
}

/// As all values: the property names, absent members left out; ``retryDelay`` is a number of seconds.
/// A phase that this version does not know is read as ``Phase/connecting``.
extension ConnectionState: Codable {
  private enum CodingKeys: String, CodingKey {
    case phase, endpoint, attempts, retryDelay, problem, receivers, preferredReceiver, devices
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      Phase(rawValue: try values.decode(String.self, forKey: .phase)) ?? .connecting,
      endpoint: try values.decodeIfPresent(String.self, forKey: .endpoint),
      attempts: try values.decodeIfPresent(Int.self, forKey: .attempts) ?? 0,
      retryDelay: try values.decodeDurationIfPresent(forKey: .retryDelay),
      problem: try values.decodeIfPresent(LocationError.self, forKey: .problem),
      receivers: try values.decodeIfPresent([Receiver].self, forKey: .receivers) ?? [],
      preferredReceiver: try values.decodeIfPresent(String.self, forKey: .preferredReceiver),
      devices: try values.decodeIfPresent(Set<String>.self, forKey: .devices))
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(phase, forKey: .phase)
    try values.encodeIfPresent(endpoint, forKey: .endpoint)
    try values.encode(attempts, forKey: .attempts)
    try values.encodeIfPresent(retryDelay.map(ExactSeconds.number), forKey: .retryDelay)
    try values.encodeIfPresent(problem, forKey: .problem)
    try values.encode(receivers, forKey: .receivers)
    try values.encodeIfPresent(preferredReceiver, forKey: .preferredReceiver)
    // Sorted, so that equal states encode alike.
    try values.encodeIfPresent(devices?.sorted(), forKey: .devices)
  }
}
