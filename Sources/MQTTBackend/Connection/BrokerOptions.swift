/// The options of one connection to a broker, including the values read from files and the
/// environment.
struct BrokerOptions: Sendable {
  struct Message: Hashable, Sendable {
    var topic: String
    var payload: [UInt8]
  }

  struct Subscription: Hashable, Sendable {
    var filter: String
    /// MQTT's QoS: 0 without acknowledgements, 1 for at least once.
    var quality: Int32 = 1
    /// Whether the broker sends the filter's retained messages in response to the subscription.
    /// With MQTT 3.1.1, it always does.
    var wantsRetained = true
    /// Whether the subscription is requested only for a new session, and only with MQTT 5.
    var isForNewSession = false
    /// Whether the connection continues if the broker refuses the subscription.
    var isOptional = false

    /// Whether the broker sends each message to one member of a group.
    var isOfGroup: Bool { filter.hasPrefix("$share/") }
  }

  /// The version of MQTT of one connection.
  enum Version: Hashable, Sendable { case mqtt5, mqtt311 }

  var version = Version.mqtt5
  var clientIdentifier: String
  var user: String?
  var password: String?
  var keepAlive: Duration
  /// How long the broker keeps the session after the connection has ended; zero for no session.
  var sessionExpiry: Duration
  /// Whether the broker also keeps the session after the run is stopped.
  var keepsSession = true
  /// Whether the connection requests a session. MQTT 3.1.1 cannot limit the lifetime of a session,
  /// so none is requested that no later run would resume.
  var hasSession: Bool { sessionExpiry > .zero && (version == .mqtt5 || keepsSession) }
  /// The maximum size of a packet from the broker, in bytes.
  var maximumPacketSize: Int
  /// The maximum number of unacknowledged publications.
  var window: Int
  /// Published by the broker when the connection ends; not retained.
  var will: Message?
  var subscriptions: [Subscription]
  /// Filters to unsubscribe from: a resumed session may still have them from an earlier
  /// configuration.
  var formerFilters: [String] = []
}

extension BrokerOptions {
  /// Whether any subscription is that of a group, which MQTT 3.1.1 does not support.
  var usesGroup: Bool { subscriptions.contains(where: \.isOfGroup) }
}
