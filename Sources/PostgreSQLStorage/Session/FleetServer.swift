import AsyncLocation

/// A database server, and the part of a fleet in it.
struct FleetServer: Sendable {
  /// How long a server may be silent while a question is answered.
  private static let answerPatience = Duration.seconds(60)
  /// How long it may be silent within a commit.
  private static let commitPatience = Duration.seconds(10)

  /// A URI or keywords of libpq.
  let connection: String
  let fleet: String
  let part: String
  let lease: Duration

  /// Connects to a server that can be written.
  func connect() throws(PostgreSQLFailure) -> Connection {
    let connection = try Connection(connection, patience: Self.commitPatience)
    try connection.prepareFleets()
    return connection
  }

  /// Connects to a server that may be a standby.
  func connectForReading() throws(PostgreSQLFailure) -> Connection {
    let connection = try Connection(connection, patience: Self.answerPatience, writes: false)
    try connection.checkFleets()
    return connection
  }

  var leaseSeconds: Double { lease / .seconds(1) }
}
