public import AsyncLocation
package import FoundationEssentials
@_exported public import LocationFleet

/// Stores fleets and their histories in a PostgreSQL database that several servers share.
///
/// Each server owns a part of a fleet, such as the devices below a topic. The last locations and
/// states of a part's devices, its conditions and its events belong to its owner; the history spans
/// all parts. When an owner ends, another server with ``waitsForOwner`` continues from the stored
/// content: within a second if the owner's process ended, and after ``lease`` if its host is gone
/// or unresponsive. A former owner that resumes stores nothing, and its fleet ends with
/// ``/AsyncLocation/LocationError/Code/superseded``.
///
/// The tables are in the schema `async_location`, which the first server creates; they need
/// PostgreSQL 14 or later, the encoding UTF8, and no extension. The server's setting
/// `synchronous_commit` determines how durable commits are. Locations are stored exactly, in about
/// 14 bytes each if they come from OwnTracks.
public struct PostgreSQLFleetStorage: FleetStorage {
  /// Whether ``open()`` waits while another server owns the part; false by default. If false,
  /// ``open()`` then throws `storageUnavailable`. Once it waits, it also retries after transient
  /// failures, such as a database that cannot be reached.
  public var waitsForOwner = false
  /// Called once for each kind of reason why ``open()`` waits, for example to log the reason. The
  /// first reason is that another server owns the part. A further one is a transient failure, such
  /// as a database that refuses connections, which may need an operator.
  public var didBeginWaiting: @Sendable (_ reason: LocationError) async -> Void = { _ in }
  /// How long an inactive server remains the owner of its part; 5 s by default, at least 1 s.
  public var lease = Duration.seconds(5)

  private let connection: String
  private let fleet: String
  private let part: String
  private let retention: Duration?
  private let now: @Sendable () -> Date
  private let clock: any Clock<Duration>

  /// Creates a storage for a part of a fleet in a database. Nothing is opened yet.
  ///
  /// - Parameters:
  ///   - connection: A connection string of libpq: a URI such as `postgresql://user@host/database`,
  ///     or keywords such as `host=/run/postgresql dbname=fleet` (section 34.1.1 of PostgreSQL's
  ///     manual). Several hosts may be listed; the one that can be written is used.
  ///   - fleet: The fleet's name.
  ///   - part: The name of the part. Fleets that are open at the same time need different parts.
  ///   - retention: The age beyond which locations are deleted from the history. They are deleted
  ///     when the fleet stores changes, at intervals of an hour, or of a tenth of the age if that
  ///     is shorter. Nil retains all locations. The last location of each device is always
  ///     retained.
  public init(
    _ connection: String, fleet: String = "fleet", part: String = "all", retention: Duration? = nil
  ) {
    self.init(
      connection, fleet: fleet, part: part, retention: retention, now: { Date() },
      clock: ContinuousClock())
  }

  /// Creates a storage with clocks for tests.
  package init(
    _ connection: String, fleet: String, part: String, retention: Duration?,
    now: @escaping @Sendable () -> Date, clock: any Clock<Duration>
  ) {
    (self.connection, self.fleet, self.part) = (connection, fleet, part)
    (self.retention, self.now, self.clock) = (retention, now, clock)
  }

  /// Whether a text names a database rather than a file, for programs that accept either.
  ///
  /// A text that begins with `/` or `.` is the path of a file. Any other text names a database if
  /// it contains `postgresql:`, `postgres:`, `//`, `@` or `=`.
  ///
  /// Also true for a mistyped address, which may contain a password: a storage with that address
  /// throws an error that does not repeat it.
  public static func isConnection(_ text: String) -> Bool {
    let lowercase = text.lowercased()
    guard !lowercase.hasPrefix("/"), !lowercase.hasPrefix(".") else { return false }
    return ["//", "postgresql:", "postgres:", "=", "@"].contains(where: lowercase.contains)
  }

  /// Connects, and claims the part of the fleet.
  ///
  /// Damaged rows of devices, conditions and events are skipped; the content's `problem` reports
  /// them.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   - `invalidValue` for a connection that libpq cannot read, for a name that is empty or
  ///     contains NUL, and for a retention or a lease below a second;
  ///   - `unsupported` for a server or a database that cannot be used;
  ///   - `storageUnavailable` if the database cannot be reached or written, if another server owns
  ///     the part and ``waitsForOwner`` is false, or when the task is cancelled while it waits for
  ///     the part.
  public func open() async throws(LocationError) -> (any FleetSession, StoredFleet) {
    let server = try server
    // The kinds of reasons that were reported; nil stands for a part that another server owns.
    var reported: Set<PostgreSQLFailure.Kind?> = []
    while true {
      let session = PostgreSQLFleetSession(server, retention: retention, now: now)
      var (reason, kind) = (otherOwnerError, nil as PostgreSQLFailure.Kind?)
      do throws(LocationError) {
        if let stored = try await session.open() { return (session, stored) }
      } catch {
        // Once this has begun to wait, transient failures are retried. A failure of the first
        // attempt is thrown.
        guard !reported.isEmpty, let failure = error.cause as? PostgreSQLFailure,
          failure.isTransient
        else { throw error }
        (reason, kind) = (error, failure.kind)
      }
      await session.close()
      guard waitsForOwner else { throw reason }
      if reported.insert(kind).inserted { await didBeginWaiting(reason) }
      guard (try? await clock.sleep(for: Self.pause)) != nil else { throw reason }
    }
  }

  private var otherOwnerError: LocationError {
    LocationError(
      .storageUnavailable,
      "Another server owns the part \"\(String(printable: part))\" of the fleet "
        + "\"\(String(printable: fleet))\""
        + (waitsForOwner ? "." : "; use another part, or wait for it."))
  }

  /// The time between two attempts to claim the part.
  private static var pause: Duration { .milliseconds(500) }

  /// The history of all parts of the fleet, for a program that owns none.
  ///
  /// - Throws: As ``open()``, except for a part that another server owns.
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
            + "\"postgresql:///fleet\". The path of a file begins with / or ./ if it contains = or @."
        )
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
