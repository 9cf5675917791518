/// The state of a backend's connection to its source of positions.
public struct ConnectionState: Sendable, Hashable {
  /// The stages of a connection.
  @nonexhaustive
  public enum Phase: String, Sendable, Hashable, Codable, CaseIterable {
    /// The backend does not run: there is no demand or no permission, or its run has ended.
    case idle
    /// Connecting to the source.
    case connecting
    /// The source responds.
    case connected
    /// Lost or refused; the next attempt follows after ``ConnectionState/retryDelay``.
    case waiting
    /// Failed permanently: the run has ended. A backend runs again only with new demand.
    case failed
  }

  /// The current phase.
  public let phase: Phase
  /// The address of the source, such as "localhost:2947".
  public let endpoint: String?
  /// The number of consecutive failed attempts, 0 once connected.
  public let attempts: Int
  /// The time until the next attempt, with nanosecond precision.
  public let retryDelay: Duration?
  /// The current problem, which may exist while connected: for example, the source lacks a receiver
  /// that the backend's configuration or a subscriber's options name.
  public let problem: LocationError?
  /// The receivers of the source.
  public let receivers: [Receiver]
  /// The receiver for subscribers without a `device` option, by ``Receiver/name``; nil if there is
  /// none or if they receive the reports of all receivers.
  public let preferredReceiver: String?

  /// The receiver names that ``UpdateOptions/device`` and ``HeadingOptions/device`` can select now.
  /// Nil until the source reports them, and for a source without a list of receivers; no name is
  /// then treated as unknown.
  public let devices: Set<String>?

  /// Creates a state whose ``devices`` are the names of its receivers, or nil if there are none.
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

  /// Creates a state with explicit ``devices``: an empty set for a source that has no receiver, or
  /// nil if `receivers` may be incomplete.
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

extension ConnectionState {
  /// The state with a preferred receiver, which only a connected source has.
  package func preferring(_ receiver: String?) -> Self {
    guard phase == .connected, let receiver else { return self }
    return Self(
      phase, endpoint: endpoint, attempts: attempts, retryDelay: retryDelay, problem: problem,
      receivers: receivers, preferredReceiver: receiver, devices: devices)
  }
}

/// Encoded with the property names; absent members are omitted. ``retryDelay`` is a number of
/// seconds. An unknown phase is decoded as ``Phase/connecting``.
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
