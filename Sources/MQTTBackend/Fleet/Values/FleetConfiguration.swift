public import AsyncLocation
public import LocationFleet

/// Which devices of which broker a fleet follows, and how.
///
/// By default all devices of all users, in OwnTracks' topics `owntracks/USER/DEVICE`.
public struct FleetConfiguration: Sendable {
  /// The key of each device.
  public typealias Keys = @Sendable (FleetDevice.ID) -> PayloadKey?

  /// The broker.
  public var broker: MQTTConfiguration
  /// The levels of the topics before the user, such as "owntracks". It cannot have wildcards.
  public var base: String
  /// The only user to follow; nil for all.
  public var user: String?
  /// The only device of each user to follow; nil for all.
  public var device: String?
  /// The name of a group of servers that share the fleet: the broker sends each message to one of
  /// them. Nil if this server is alone.
  ///
  /// A server that joins a group leaves what it followed alone. One that leaves a group for another, or
  /// to be alone, needs another ``MQTTConfiguration/clientIdentifier``: the broker goes on keeping its
  /// share for the session, until that expires.
  ///
  /// The broker need not send the messages of a device to one server, and retained messages are
  /// left out in a group: order, the last location and presence are those of the messages that
  /// arrived here.
  public var group: String?
  /// Whether the topics below a device's are followed, too, in which it sends transitions, waypoints,
  /// cards, states and steps; see ``Fleet/messages``. The broker's rules must allow `BASE/USER/DEVICE/#`.
  /// A card with a picture may exceed ``FleetLimits/payloadLength``.
  public var includesAllMessages: Bool
  /// Returns the key with which a device encrypts its messages; nil if it has none. Called for each
  /// encrypted message, on the thread of the connection: it must not wait. Encrypted messages of a device
  /// without a key are dropped for the reason ``/LocationFleet/FleetDevice/DropReason/encrypted``.
  ///
  /// A key keeps others from reading. It does not keep who may publish to the topic from sending
  /// messages in the clear, which are accepted, or old ones again.
  public var keys: Keys?
  /// The limits for the devices.
  public var limits: FleetLimits
  /// How it is decided that a device crossed the boundary of a condition.
  public var crossing: CrossingOptions

  /// Creates a configuration.
  public init(
    _ broker: MQTTConfiguration = MQTTConfiguration(), base: String = "owntracks",
    user: String? = nil, device: String? = nil, group: String? = nil,
    includesAllMessages: Bool = false, keys: Keys? = nil,
    limits: FleetLimits = FleetLimits(), crossing: CrossingOptions = CrossingOptions()
  ) {
    self.broker = broker
    (self.base, self.user, self.device) = (base, user, device)
    (self.group, self.limits, self.crossing) = (group, limits, crossing)
    (self.includesAllMessages, self.keys) = (includesAllMessages, keys)
  }
}

extension FleetConfiguration {
  /// Creates a configuration from a topic filter of MQTT, such as `owntracks/jane/+`.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for a filter without levels for
  ///   user and device. Other faults are found when the fleet is created.
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

  /// The topic filter to subscribe to, such as `owntracks/+/+`.
  var subscription: String {
    let device = "\(base)/\(user ?? "+")/\(device ?? "+")"
    // The filter with `#` has the level above it, too.
    let filter = includesAllMessages ? "\(device)/#" : device
    return group.map { "$share/\($0)/\(filter)" } ?? filter
  }

  /// - Throws: ``LocationError`` with `invalidValue` for the first invalid value.
  func validate() throws(LocationError) {
    try limits.validate()
    guard TopicText.isBase(base.utf8.span) else {
      throw LocationError(
        .invalidValue,
        "The base must be the first levels of a topic, without wildcards, control characters and "
          + "a '/' at its end, and not begin with '$'; got \"\(String(printable: base))\".")
    }
    for (name, value) in [("user", user), ("device", device), ("group", group)] {
      guard let value, !TopicText.isLevel(value.utf8.span) else { continue }
      throw LocationError(
        .invalidValue,
        "The \(name) must be one level of a topic, without '/', '+', '#' and control characters; "
          + "got \"\(String(printable: value))\".")
    }
    var widest = self
    widest.includesAllMessages = true
    guard widest.subscription.utf8.count <= 65_535 else {
      throw LocationError(.invalidValue, "The topic filter has more than 65,535 bytes.")
    }
  }
}
