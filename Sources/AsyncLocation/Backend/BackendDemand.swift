import FoundationEssentials

/// The merged demand of all subscribers and calls of a manager.
///
/// A demand is a hint: a backend may deliver more, and the manager filters it.
public struct BackendDemand: Sendable, Hashable {
  /// The kinds of reports that subscribers and calls request.
  public var kinds: BackendCapabilities
  /// The strictest accuracy that is requested.
  public var desiredAccuracy: DesiredAccuracy
  /// The shortest requested time between locations; zero for every location.
  public var minimumInterval: Duration
  /// The requested receivers; nil for all. Nil if any subscriber has no `device` option: the
  /// manager then selects the reports marked by ``SourceInformation/isPreferred``.
  public var devices: Set<String>?
  /// True when every subscriber that demands locations is paused. Only set for a backend with
  /// ``BackendCapabilities/pausing``. Such a backend may stop its receiver, and emits locations
  /// again when it detects movement. The manager sets this property to false when the locations
  /// show movement, or when a subscriber or call needs a location.
  public var isPaused: Bool

  /// Creates a demand.
  public init(
    kinds: BackendCapabilities, desiredAccuracy: DesiredAccuracy = .best,
    minimumInterval: Duration = .zero, devices: Set<String>? = nil, isPaused: Bool = false
  ) {
    self.kinds = kinds
    self.desiredAccuracy = desiredAccuracy
    self.minimumInterval = minimumInterval
    self.devices = devices
    self.isPaused = isPaused
  }

  /// True if this demand prevents a merged demand from pausing.
  private var needsLocations: Bool { kinds.contains(.locations) && !isPaused }

  /// Returns the demand that satisfies both demands.
  func merged(with other: Self) -> Self {
    Self(
      kinds: kinds.union(other.kinds),
      desiredAccuracy: desiredAccuracy.stricter(other.desiredAccuracy),
      minimumInterval: min(minimumInterval, other.minimumInterval),
      devices: devices.flatMap { mine in other.devices.map(mine.union) },
      isPaused: (isPaused || other.isPaused) && !needsLocations && !other.needsLocations)
  }
}

/// Encoded with the property names; absent members are omitted, and so is `isPaused` when false.
/// `minimumInterval` is a number of seconds with nanosecond precision, and `devices` is sorted.
extension BackendDemand: Codable, Described {
  private enum CodingKeys: String, CodingKey {
    case kinds, desiredAccuracy, minimumInterval, devices, isPaused
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      kinds: try values.decode(BackendCapabilities.self, forKey: .kinds),
      desiredAccuracy: try values.decodeIfPresent(DesiredAccuracy.self, forKey: .desiredAccuracy)
        ?? .best,
      minimumInterval: try values.decodeDurationIfPresent(forKey: .minimumInterval) ?? .zero,
      devices: try values.decodeIfPresent(Set<String>.self, forKey: .devices),
      isPaused: try values.decodeIfPresent(Bool.self, forKey: .isPaused) ?? false)
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(kinds, forKey: .kinds)
    try values.encode(desiredAccuracy, forKey: .desiredAccuracy)
    try values.encode(ExactSeconds.number(minimumInterval), forKey: .minimumInterval)
    try values.encodeIfPresent(devices?.sorted(), forKey: .devices)
    if isPaused { try values.encode(isPaused, forKey: .isPaused) }
  }

  package var members: [DescribedMember] {
    [
      DescribedMember("kinds", kinds),
      DescribedMember("desiredAccuracy", desiredAccuracy),
      DescribedMember("minimumInterval", minimumInterval),
      DescribedMember("devices", devices),
      DescribedMember("isPaused", isPaused ? true : nil),
    ]
  }
}
