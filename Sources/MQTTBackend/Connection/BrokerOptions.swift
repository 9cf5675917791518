/// The options of one connection to a broker, once files and environment are read.
struct BrokerOptions: Sendable {
  struct Message: Hashable, Sendable {
    var topic: String
    var payload: [UInt8]
  }

  struct Subscription: Hashable, Sendable {
    var filter: String
    /// MQTT's QoS: 0 without acknowledgements, 1 for at least once.
    var quality: Int32 = 1
    /// Whether the broker sends the retained messages of the filter now.
    var wantsRetained = true
    /// Whether it is left out for a session that the broker has kept.
    var isForNewSession = false
    /// Whether the connection goes on without it if the broker refuses it.
    var isOptional = false
  }

  var clientIdentifier: String
  var user: String?
  var password: String?
  var keepAlive: Duration
  /// How long the broker keeps the session after the connection ended; zero for no session.
  var sessionExpiry: Duration
  /// Whether the broker also keeps the session when the run is stopped.
  var keepsSession = true
  /// The longest packet that the broker may send, in bytes.
  var maximumPacketSize: Int
  /// How many publications may wait for their acknowledgement.
  var window: Int
  /// Published by the broker when the connection ends; not retained.
  var will: Message?
  var subscriptions: [Subscription]
  /// Filters to which a session that the broker has kept may be subscribed, and no longer is.
  var formerFilters: [String] = []
}
