import AsyncLocation

/// A database server, and the part of a fleet in it.
struct FleetServer: Sendable {
  /// How long a server may be silent during a query.
  static let readTimeout = Duration.seconds(60)
  /// How long a server may be silent during a commit.
  static let commitTimeout = Duration.seconds(10)

  /// A URI or keywords of libpq.
  let connection: String
  let fleet: String
  let part: String
  let lease: Duration

  /// Connects to a server that accepts writes.
  func connect() throws(PostgreSQLFailure) -> Connection {
    let connection = try Connection(connection, responseTimeout: Self.commitTimeout)
    try connection.prepareFleets()
    // Lets the database end this connection if this process stops, or its host vanishes, within a
    // transaction.
    try connection.script(
      """
      SET idle_in_transaction_session_timeout = '1min'; SET tcp_keepalives_idle = 5;
      SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3; SET tcp_user_timeout = 10000
      """)
    return connection
  }

  /// Connects to a server that may be a standby.
  func connectForReading() throws(PostgreSQLFailure) -> Connection {
    let connection = try Connection(connection, responseTimeout: Self.readTimeout, writes: false)
    try connection.checkFleets()
    // Ends a query whose client has disconnected.
    try connection.script("SET client_connection_check_interval = 10000")
    return connection
  }

  var leaseSeconds: Double { lease / .seconds(1) }
}
