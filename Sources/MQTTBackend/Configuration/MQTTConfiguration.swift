public import AsyncLocation

/// The addresses of an MQTT broker and the options of the connection.
///
/// The broker must speak MQTT 5 or 3.1.1; see ``ProtocolVersion``.
public struct MQTTConfiguration: Sendable {
  /// The version of MQTT.
  ///
  /// MQTT 3.1.1 lacks some features of MQTT 5:
  ///
  /// - A ``FleetConfiguration/group`` is refused with `unsupported`.
  /// - The broker decides how long it keeps a session. A ``sessionExpiry`` above 0 s requests a
  ///   session without a time limit, but only with a ``clientIdentifier``: nothing would remove the
  ///   session of a random name.
  /// - The broker states neither its limits nor why it refuses a publication. It acknowledges a
  ///   publication that it discards, or ends the connection.
  /// - A ``Fleet`` receives the retained messages with quality of service 1. A broker with a short
  ///   queue may drop some of them.
  @nonexhaustive
  public enum ProtocolVersion: Sendable, Hashable {
    /// MQTT 5, or 3.1.1 with a broker that refuses MQTT 5.
    ///
    /// A connection without a group that the broker closes without an answer, as RabbitMQ 3.10 does,
    /// is tried with 3.1.1, unless the broker has accepted MQTT 5 before.
    case automatic
    /// MQTT 5 only.
    case mqtt5
    /// MQTT 3.1.1 only.
    case mqtt311
  }

  /// Encryption and authentication with certificates. Files are PEM, and are read again for each
  /// connection, so renewed certificates need no restart.
  public struct TLS: Sendable, Hashable {
    /// The file with the certificates of the trusted authorities; nil for those of the system.
    public var authorityFile: String?
    /// The file with this program's certificate and its chain; nil for none.
    public var certificateFile: String?
    /// The file with the unencrypted private key of ``certificateFile``. Other users must have no
    /// access to it, except that the group of a file owned by root may read it.
    public var keyFile: String?
    /// The name that the broker's certificate must contain; nil for the host of the address.
    public var serverName: String?

    /// Creates options. TLS 1.2 is the minimum version.
    public init(
      authorityFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil,
      serverName: String? = nil
    ) {
      self.authorityFile = authorityFile
      self.certificateFile = certificateFile
      self.keyFile = keyFile
      self.serverName = serverName
    }
  }

  /// The source of the user name and password, which are read again for each connection.
  @nonexhaustive
  public enum Credentials: Sendable, Hashable {
    /// A fixed user name and password.
    case password(user: String, password: String)
    /// A file: the user name in the first line, the password in the second. Other users must have
    /// no access to it.
    case file(String)
    /// Two environment variables.
    case environment(user: String, password: String)
  }

  /// The address of a node of a broker.
  public struct Address: Sendable, Hashable {
    /// The host name or the IPv4 or IPv6 address.
    public var host: String
    /// The TCP port, 1...65535. The usual ones are 1883, and 8883 with TLS.
    public var port: Int

    /// Creates an address.
    public init(host: String, port: Int) {
      self.host = host
      self.port = port
    }
  }

  /// The host name or the IPv4 or IPv6 address.
  public var host: String
  /// The TCP port, 1...65535. The usual ones are 1883, and 8883 with TLS.
  public var port: Int
  /// The other nodes of a cluster of brokers; at most 15.
  ///
  /// An attempt tries the addresses of ``host`` and then those of the nodes, in this order, until
  /// one accepts the connection or fails with a permanent error. After a connection is lost, its
  /// address is tried last. Clients with the nodes in different orders distribute themselves over
  /// the nodes.
  ///
  /// With TLS, the certificate of each node must contain the same name: ``TLS/serverName``, or
  /// ``host``.
  public var alternatives: [Address] = []
  /// The version of MQTT; ``ProtocolVersion/automatic`` by default.
  public var version = ProtocolVersion.automatic
  /// TLS options; nil for no encryption. Without encryption, anyone on the network path can read
  /// and change all data, including the password.
  public var tls: TLS?
  /// User name and password; nil for none.
  public var credentials: Credentials?
  /// The name of this client, unique at the broker; nil for none. Without a name, each
  /// `MQTTBackend` and each ``Fleet`` uses a random one, and a ``LocationPublisher`` uses one
  /// that is derived from its topic and this host. With a fixed name, a client resumes its session
  /// after a restart. A new connection with the same name ends the older one, which reports
  /// ``BrokerRefusal/takenOver``.
  public var clientIdentifier: String?
  /// The longest time without a packet to the broker, 5 s...65,535 s, after which a ping is sent. A
  /// broker that does not respond is detected after about twice this time.
  public var keepAlive: Duration
  /// How long the broker stores messages for this client after the connection breaks,
  /// 0 s...4,294,967,294 s; 0 s to store none. Brokers have their own limits. After the client is
  /// stopped, the broker stores messages only if there is a ``clientIdentifier``. A
  /// ``LocationPublisher`` ignores this value, since it stores pending publications itself.
  public var sessionExpiry: Duration
  /// The maximum size of a packet from the broker, 256...268,435,455 bytes.
  public var maximumPacketSize: Int
  /// The behaviour after a transient error.
  public var reconnection: Reconnection
  /// The time limit of a connection attempt, including the name look-ups and all addresses,
  /// 1 ms...86,400 s.
  public var connectTimeout: Duration

  /// The default ports without and with TLS.
  static let (plainPort, securePort) = (1883, 8883)

  /// Creates a configuration. It is validated when it is used.
  public init(
    host: String = "localhost", port: Int? = nil, tls: TLS? = nil,
    credentials: Credentials? = nil, clientIdentifier: String? = nil,
    keepAlive: Duration = .seconds(60), sessionExpiry: Duration = .seconds(3600),
    maximumPacketSize: Int = 1_048_576, reconnection: Reconnection = .exponential(),
    connectTimeout: Duration = .seconds(10)
  ) {
    self.host = host
    self.port = port ?? (tls == nil ? Self.plainPort : Self.securePort)
    self.tls = tls
    self.credentials = credentials
    self.clientIdentifier = clientIdentifier
    self.keepAlive = keepAlive
    self.sessionExpiry = sessionExpiry
    self.maximumPacketSize = maximumPacketSize
    self.reconnection = reconnection
    self.connectTimeout = connectTimeout
  }
}
