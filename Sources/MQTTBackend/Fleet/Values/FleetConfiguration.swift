public import AsyncLocation
public import LocationFleet

/// The broker and the devices that a fleet follows, and its options.
///
/// By default, a fleet follows all devices of all users, on OwnTracks' topics
/// `owntracks/USER/DEVICE`.
public struct FleetConfiguration: Sendable {
  /// Returns the key of a device; nil if it has none.
  public typealias Keys = @Sendable (FleetDevice.ID) -> PayloadKey?

  /// One of the parts into which a broker divides the devices.
  ///
  /// The broker derives the number from the names of user and device, and maps
  /// `BASE/USER/DEVICE` to `PARTITIONS/NUMBER/USER/DEVICE`. So a partition has all messages of its
  /// devices, in order. NATS calls this subject mapping, EMQX topic rewrite.
  public struct Partition: Sendable, Hashable {
    /// The levels of the topics before the number, such as "fleet". It must not contain wildcards.
    public var base: String
    /// The number of the partition; 0 is the first.
    public var number: Int

    /// Creates a partition.
    public init(_ number: Int, base: String = "fleet") {
      self.base = base
      self.number = number
    }
  }

  /// The broker.
  public var broker: MQTTConfiguration
  /// The levels of the topics before the user, such as "owntracks". It must not contain wildcards.
  public var base: String
  /// The only user to follow; nil for all.
  public var user: String?
  /// The only device of each user to follow; nil for all.
  public var device: String?
  /// The partition to follow; nil for all devices.
  ///
  /// Commands and confirmations are published below ``base``, to which the devices subscribe. So
  /// the broker must map only what devices publish.
  ///
  /// With a storage, the fleet opens no connection while its storage fails, since another server may
  /// own the partition by then.
  public var partition: Partition?
  /// The name of a group of servers that share the fleet: the broker sends each message to one of
  /// them. Nil if this server follows the fleet alone.
  ///
  /// A server that joins a group ends the subscriptions that it had alone. A server that leaves a
  /// group, for another group or for none, needs another ``MQTTConfiguration/clientIdentifier``:
  /// the broker continues to store the server's share for the session until the session expires.
  ///
  /// The broker may send the messages of one device to different servers, and retained messages are
  /// ignored in a group. So the order, the last location and the presence depend only on the
  /// messages that this server received.
  public var group: String?
  /// Whether the fleet also follows the topics below a device's topic, to which the device sends
  /// transitions, waypoints, cards, states and steps; see ``Fleet/messages``. The broker's rules
  /// must allow `BASE/USER/DEVICE/#`. A card with a picture may exceed
  /// ``FleetLimits/payloadLength``.
  public var includesAllMessages: Bool
  /// Returns the key with which a device encrypts its messages; nil if it has none. Called for each
  /// encrypted message on the thread of the connection, and for each command. It must not block.
  /// Encrypted messages of a device without a key are dropped for the reason
  /// ``/LocationFleet/FleetDevice/DropReason/encrypted``.
  ///
  /// A key prevents others from reading the messages. A client that may publish to the topic can
  /// still send unencrypted messages, which are accepted, or replay old messages.
  public var keys: Keys?
  /// Whether a fleet with a storage confirms its stored locations to the devices that request
  /// confirmations, true by default; see ``PublisherOptions/Confirmation/stored``. The broker's
  /// rules must permit `BASE/USER/DEVICE/stored`. A device accepts the confirmation of any fleet,
  /// and then deletes the location. So set this to false for a fleet with a storage that loses
  /// locations, such as a ``/LocationFleet/MemoryFleetStorage``.
  public var confirmsLocations: Bool
  /// The limits for the devices.
  public var limits: FleetLimits
  /// The options for deciding whether a device crossed the boundary of a condition.
  public var crossing: CrossingOptions

  /// Creates a configuration.
  public init(
    _ broker: MQTTConfiguration = MQTTConfiguration(), base: String = "owntracks",
    user: String? = nil, device: String? = nil, partition: Partition? = nil, group: String? = nil,
    includesAllMessages: Bool = false, keys: Keys? = nil, confirmsLocations: Bool = true,
    limits: FleetLimits = FleetLimits(), crossing: CrossingOptions = CrossingOptions()
  ) {
    self.broker = broker
    (self.base, self.user, self.device) = (base, user, device)
    (self.partition, self.group) = (partition, group)
    (self.limits, self.crossing) = (limits, crossing)
    (self.includesAllMessages, self.keys) = (includesAllMessages, keys)
    self.confirmsLocations = confirmsLocations
  }
}

extension FleetConfiguration {
  /// Creates a configuration from a topic filter of MQTT, such as `owntracks/jane/+`.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for a filter without levels for
  ///   user and device. Other errors are detected when the fleet is created.
  public init(
    _ broker: MQTTConfiguration = MQTTConfiguration(), filter: String, group: String? = nil,
    limits: FleetLimits = FleetLimits(), crossing: CrossingOptions = CrossingOptions()
  ) throws(LocationError) {
    let levels = filter.split(separator: "/", omittingEmptySubsequences: false)
    guard levels.count >= 3 else {
      throw LocationError(
        .invalidValue,
        "The filter of a fleet must be like owntracks/+/+: a base, a user and a device; got "
          + "\"\(String(printable: filter))\".")
    }
    func name(_ level: Substring) -> String? { level == "+" ? nil : String(level) }
    self.init(
      broker, base: levels.dropLast(2).joined(separator: "/"), user: name(levels[levels.count - 2]),
      device: name(levels[levels.count - 1]), group: group, limits: limits, crossing: crossing)
  }

  /// The levels before the user of the topics at which messages arrive.
  var receivedBase: String { partition.map { "\($0.base)/\($0.number)" } ?? base }

  /// The topic filter to subscribe to, such as `owntracks/+/+`.
  var subscription: String {
    let device = "\(receivedBase)/\(user ?? "+")/\(device ?? "+")"
    // A filter with `#` also matches its parent level.
    let filter = includesAllMessages ? "\(device)/#" : device
    return group.map { "$share/\($0)/\(filter)" } ?? filter
  }

  /// Checks the limits and the topic filter.
  ///
  /// - Throws: ``LocationError`` with `invalidValue` for the first invalid value.
  func validate() throws(LocationError) {
    try limits.validate()
    for (name, base) in [("base", base), ("base of the partition", partition?.base ?? base)] {
      guard !TopicText.isBase(base.utf8.span) else { continue }
      throw LocationError(
        .invalidValue,
        "The \(name) must be the first levels of a topic, without wildcards, control characters and "
          + "a '/' at its end, and not begin with '$'; got \"\(String(printable: base))\".")
    }
    if let partition, partition.number < 0 {
      throw LocationError(
        .invalidValue,
        "The number of a partition must be 0 or above, got \(partition.number).")
    }
    for (name, value) in [("user", user), ("device", device), ("group", group)] {
      guard let value, !TopicText.isLevel(value.utf8.span) else { continue }
      throw LocationError(
        .invalidValue,
        "The \(name) must be one level of a topic, without '/', '+', '#' and control characters; "
          + "got \"\(String(printable: value))\".")
    }
    // The session of an earlier configuration may have the longer filter; see `formerFilters`.
    var widest = self
    widest.includesAllMessages = true
    guard widest.subscription.utf8.count <= 65_535 else {
      throw LocationError(.invalidValue, "The topic filter has more than 65,535 bytes.")
    }
  }
}
