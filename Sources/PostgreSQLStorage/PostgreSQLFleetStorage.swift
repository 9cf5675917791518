public import AsyncLocation
package import FoundationEssentials
@_exported public import LocationFleet

/// Keeps fleets and their histories in a PostgreSQL database, which several servers share.
///
/// Each server owns a part of a fleet, such as the devices below a topic. What is known of the devices of a
/// part, its conditions and its events are its owner's; the history is one. When an owner ends, another
/// server with ``waitsForOwner`` goes on from what is stored: within a second if the owner's process
/// ended, and after ``lease`` if its host is gone or does nothing. A former owner that awakes stores
/// nothing, and its fleet ends with ``/AsyncLocation/LocationError/Code/superseded``.
///
/// The tables are in the schema `async_location`, which the first server creates; they need PostgreSQL 14 or
/// later, the encoding UTF8, and no extension. What is committed is as durable as the server's
/// `synchronous_commit`. Locations are kept exactly, in about 14 bytes each if they come from OwnTracks.
public struct PostgreSQLFleetStorage: FleetStorage {
  /// Whether ``open()`` waits while another server owns the part, also while the database cannot be
  /// reached then; false by default. Otherwise it throws `storageUnavailable`.
  public var waitsForOwner = false
  /// Called when ``open()`` begins to wait, and when the reason changes, such as to log it: that another
  /// server owns the part, or how the database refuses the connection, which may need an operator.
  public var didBeginWaiting: @Sendable (_ reason: LocationError) async -> Void = { _ in }
  /// For how long a server that does nothing keeps its part; 5 s by default, at least 1 s.
  public var lease = Duration.seconds(5)

  private let connection: String
  private let fleet: String
  private let part: String
  private let retention: Duration?
  private let now: @Sendable () -> Date
  private let clock: any Clock<Duration>

  /// Creates a storage that keeps a part of a fleet in a database. Nothing is opened yet.
  ///
  /// - Parameters:
  ///   - connection: A URI such as `postgresql://user@host/database`, or keywords such as
  ///     `host=/run/postgresql dbname=fleet`: libpq's, chapter 34.1.1 of PostgreSQL's manual. Several hosts
  ///     may be listed; the one that can be written is used.
  ///   - fleet: The fleet's name.
  ///   - part: The name of the part. Two fleets of devices that are stored at once need different ones.
  ///   - retention: The age beyond which locations of the history are deleted, while the fleet stores
  ///     others: after an hour, or a tenth of the age if that is shorter. Nil keeps all. The last location
  ///     of each device stays.
  public init(
    _ connection: String, fleet: String = "fleet", part: String = "all", retention: Duration? = nil
  ) {
    self.init(
      connection, fleet: fleet, part: part, retention: retention, now: { Date() },
      clock: ContinuousClock())
  }

  /// Creates a storage with the clocks of a test.
  package init(
    _ connection: String, fleet: String, part: String, retention: Duration?,
    now: @escaping @Sendable () -> Date, clock: any Clock<Duration>
  ) {
    (self.connection, self.fleet, self.part) = (connection, fleet, part)
    (self.retention, self.now, self.clock) = (retention, now, clock)
  }

  /// Whether a text names a database rather than a file, for a program whose users name either: it
  /// begins with `postgresql:` or another scheme, or has keywords. A text that begins with `/` or `.` is
  /// the path of a file.
  ///
  /// A mistyped address counts, too: it may have a password, and a storage with it throws an error
  /// that does not repeat it.
  public static func isConnection(_ text: String) -> Bool {
    let lowercase = text.lowercased()
    guard !lowercase.hasPrefix("/"), !lowercase.hasPrefix(".") else { return false }
    return ["://", "postgresql:", "postgres:", "="].contains(where: lowercase.contains)
  }

  /// Connects, and takes the part of the fleet.
  ///
  /// Of a sound database, a damaged row of a device, a condition or an event is left out, which the
  /// content's `problem` reports.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   - `invalidValue` for a connection that libpq cannot read, for a name with NUL, and for a retention or
  ///     a lease below a second;
  ///   - `unsupported` for a server or a database that cannot be used;
  ///   - `storageUnavailable` if the database cannot be reached or written, if another server owns the part
  ///     and ``waitsForOwner`` is false, or when the task is cancelled while it waits.
  public func open() async throws(LocationError) -> (any FleetSession, StoredFleet) {
    let server = try server
    var lastReason: LocationError?
    while true {
      let session = PostgreSQLFleetSession(server, retention: retention, now: now)
      var reason = partIsOwned
      do throws(LocationError) {
        if let stored = try await session.open() { return (session, stored) }
      } catch {
        // The database may be away for a while; one that never was there is an error.
        guard lastReason != nil, (error.cause as? PostgreSQLFailure)?.isTransient == true else {
          throw error
        }
        reason = error
      }
      await session.close()
      guard waitsForOwner else { throw reason }
      if reason.message != lastReason?.message { await didBeginWaiting(reason) }
      lastReason = reason
      guard (try? await clock.sleep(for: Self.pause)) != nil else { throw reason }
    }
  }

  private var partIsOwned: LocationError {
    LocationError(
      .storageUnavailable,
      "Another server owns the part \"\(String(printable: part))\" of the fleet "
        + "\"\(String(printable: fleet))\""
        + (waitsForOwner ? "." : "; use another part, or wait for it."))
  }

  /// The time between two attempts to take a part.
  private static var pause: Duration { .milliseconds(500) }

  /// The history of all parts of the fleet, for a program that owns none.
  ///
  /// - Throws: As ``open()`` does, but not for a part that another server owns.
  public func history() async throws(LocationError) -> FleetHistory {
    let reader = FleetReader(try server)
    try await reader.open()
    return FleetHistory(reader)
  }

  private var server: FleetServer {
    get throws(LocationError) {
      guard !connection.utf8.contains(0), Connection.isValid(connection) else {
        throw LocationError(
          .invalidValue,
          "The connection is neither a URI of PostgreSQL nor keywords of libpq, such as "
            + "\"postgresql:///fleet\".")
      }
      for name in [fleet, part] where name.isEmpty || name.utf8.contains(0) {
        throw LocationError(.invalidValue, "The names of a fleet and its part must have text.")
      }
      try FleetRetention.check(retention)
      guard lease >= .seconds(1) else {
        throw LocationError(.invalidValue, "lease must be at least a second, got \(lease).")
      }
      return FleetServer(connection: connection, fleet: fleet, part: part, lease: lease)
    }
  }
}
