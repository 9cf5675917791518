import AsyncLocation
import LocationTransport

/// A run of connections to a broker for one handler, until it is cancelled or fails permanently.
struct BrokerRun: Sendable {
  /// The options of the connections that are not part of the configuration.
  struct Role: Sendable {
    var subscriptions: [BrokerOptions.Subscription] = []
    /// See ``BrokerOptions/formerFilters``.
    var formerFilters: [String] = []
    /// Creates the last will of each connection when the connection begins.
    var will: (@Sendable () -> BrokerOptions.Message)?
    /// See ``BrokerOptions/window``.
    var window = 100
    /// Returns the reason for opening no connection now; nil if one may be opened.
    var obstacle: (@Sendable () -> LocationError?)?
    /// Whether the run continues when the broker refuses this client, until its credentials or its
    /// rights are renewed.
    var outlastsRefusals = false
  }

  private let session: LoopBound<BrokerSession>

  /// - Parameter handler: Used on the event loop's thread only.
  /// - Throws: ``LocationError`` with `invalidValue` for an invalid configuration, and
  ///   `backendUnavailable` if the system has no thread or descriptor left.
  init(
    _ configuration: MQTTConfiguration, _ role: Role, identifier: String,
    handler: sending any BrokerHandler
  ) throws(LocationError) {
    try configuration.validate()
    let loop: EventLoop
    do throws(TransportFailure) {
      loop = try EventLoop.shared()
    } catch {
      throw .cannotConnect(toBroker: configuration.endpoint, error)
    }
    session = LoopBound(
      to: loop,
      BrokerSession(
        configuration, loop: loop,
        usesGroup: role.subscriptions.contains(where: \.isOfGroup),
        outlastsRefusals: role.outlastsRefusals,
        handler: handler, generator: SystemRandomNumberGenerator(),
        prepare: { () throws(LocationError) in
          try Self.prepare(configuration, role, identifier: identifier)
        }))
  }

  /// Runs until the task is cancelled.
  ///
  /// - Throws: `CancellationError`, or the error that ends the run.
  func run() async throws { _ = try await session.run() }

  /// Calls a closure on the event loop's thread.
  func submit(_ body: @escaping @Sendable () -> Void) { session.submit { _ in body() } }

  /// Reads the values from files and the environment. Blocks.
  private static func prepare(
    _ configuration: MQTTConfiguration, _ role: Role, identifier: String
  ) throws(LocationError) -> BrokerSession.Preparation {
    if let error = role.obstacle?() { throw error }
    var credentials: (user: String, password: String)?
    if let source = configuration.credentials { credentials = try CredentialReader.read(source) }
    var security: TransportSecurity?
    if let tls = configuration.tls {
      security = try TransportSecurity(tls, host: configuration.host)
    }
    return BrokerSession.Preparation(
      options: BrokerOptions(
        clientIdentifier: identifier, user: credentials?.user, password: credentials?.password,
        keepAlive: configuration.keepAlive, sessionExpiry: configuration.sessionExpiry,
        keepsSession: configuration.clientIdentifier != nil,
        maximumPacketSize: configuration.maximumPacketSize, window: role.window, will: role.will?(),
        subscriptions: role.subscriptions, formerFilters: role.formerFilters), security: security)
  }

  /// Returns an identifier for a client that only receives and has no configured identifier. It is
  /// random, so that two clients do not end each other's connections.
  static func randomIdentifier() -> String {
    "location-" + String(UInt64.random(in: .min ... .max), radix: 16)
  }
}
