/// The tables of fleets, in a schema of their own.
enum FleetSchema {
  static let version: Int64 = 1

  /// Creates the tables of ``version``.
  ///
  /// Times are seconds since 2001 in UTC; coordinates are degrees on WGS 84. `locations` is packed.
  /// A device with a false `is_known` was forgotten, but has a history. The last location of a
  /// known device is the newest of the history, unless `location` contains it. Locations are stored
  /// in runs as they arrive, until enough of them fill a chunk. The chunks of a device do not
  /// overlap.
  static let creation = """
    CREATE SCHEMA IF NOT EXISTS async_location;
    CREATE TABLE async_location.version (version bigint NOT NULL);
    INSERT INTO async_location.version VALUES (\(version));
    CREATE TYPE async_location.seconds AS RANGE (
      subtype = double precision, subtype_diff = float8mi);
    CREATE TABLE async_location.part (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      fleet text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL,
      claim bigint,
      owner text,
      lease double precision NOT NULL DEFAULT 0,
      has_lock boolean NOT NULL DEFAULT false,
      renewed timestamptz,
      commits bigint NOT NULL DEFAULT 0,
      erasures bigint NOT NULL DEFAULT 0,
      last_number bigint NOT NULL DEFAULT 0,
      last_revision bigint NOT NULL DEFAULT 0,
      UNIQUE (fleet, name));
    CREATE TABLE async_location.condition (
      part bigint NOT NULL,
      identifier text COLLATE "C" NOT NULL,
      revision bigint NOT NULL,
      condition text NOT NULL,
      PRIMARY KEY (part, identifier));
    CREATE TABLE async_location.device (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      part bigint NOT NULL,
      name text COLLATE "C" NOT NULL,
      is_known boolean NOT NULL,
      location bytea,
      states bytea,
      UNIQUE (name, part));
    CREATE INDEX device_of_part ON async_location.device (part);
    CREATE TABLE async_location.event (
      part bigint NOT NULL,
      number bigint NOT NULL,
      device text COLLATE "C" NOT NULL,
      identifier text COLLATE "C" NOT NULL,
      revision bigint NOT NULL,
      previous_state bigint NOT NULL,
      state bigint NOT NULL,
      location bytea NOT NULL,
      is_retained boolean NOT NULL,
      is_offered boolean NOT NULL,
      PRIMARY KEY (part, number));
    CREATE TABLE async_location.run (\(locations));
    CREATE INDEX run_by_time ON async_location.run USING brin (start_time, end_time);
    CREATE TABLE async_location.chunk (\(locations));
    CREATE INDEX chunk_by_place ON async_location.chunk USING gist (
      box(point(west, south), point(east, north)),
      async_location.seconds(start_time, end_time, '[]'));
    ALTER TABLE async_location.chunk ALTER locations SET STORAGE EXTERNAL;
    ALTER TABLE async_location.chunk SET (toast_tuple_target = 8160);
    """

  private static let locations = """
    device bigint NOT NULL,
      start_time double precision NOT NULL,
      end_time double precision NOT NULL,
      south double precision NOT NULL,
      north double precision NOT NULL,
      west double precision NOT NULL,
      east double precision NOT NULL,
      count bigint NOT NULL,
      locations bytea NOT NULL,
      PRIMARY KEY (device, start_time)
    """
}

extension Connection {
  /// Checks the server, and creates the tables if there are none.
  func prepareFleets() throws(PostgreSQLFailure) {
    guard serverVersion >= 140_000 else { throw .unsupported("PostgreSQL 14 or later is needed") }
    guard setting("server_encoding") == "UTF8" else {
      throw .unsupported("the database must have the encoding UTF8")
    }
    try script("SET client_min_messages = error")
    if try fleetVersion == nil {
      // The lock serializes servers that start at the same time. A transaction that began before would
      // not see the tables that another server has created meanwhile.
      try run("SELECT pg_advisory_lock(\(Self.lockKey))")
      try transaction { () throws(PostgreSQLFailure) in
        if try fleetVersion == nil { try script(FleetSchema.creation) }
      }
      try run("SELECT pg_advisory_unlock(\(Self.lockKey))")
    }
    try checkFleets()
  }

  /// Checks that this version can read the tables, and makes unqualified names refer to
  /// PostgreSQL's own objects only.
  func checkFleets() throws(PostgreSQLFailure) {
    switch try fleetVersion {
    case FleetSchema.version: try script("SET search_path = pg_catalog")
    case nil: throw .unsupported("it has no tables of fleets")
    default: throw .unsupported("its tables are of a later version")
    }
  }

  private var fleetVersion: Int64? {
    get throws(PostgreSQLFailure) {
      var (exists, version) = (false, nil as Int64?)
      try rows("SELECT to_regclass('async_location.version') IS NOT NULL") {
        (row) throws(PostgreSQLFailure) in exists = try row.bool()
      }
      guard exists else { return nil }
      try rows("SELECT version FROM async_location.version") { (row) throws(PostgreSQLFailure) in
        version = try row.integer()
      }
      return version ?? 0
    }
  }

  /// Runs a body between `BEGIN` and `COMMIT`. After a failure, the transaction is still open.
  func transaction<Value>(
    _ body: () throws(PostgreSQLFailure) -> Value
  ) throws(PostgreSQLFailure) -> Value {
    // The isolation level is explicit, because the database's default may differ: each statement
    // reads all data committed before it.
    try script("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
    let value = try body()
    try script("COMMIT")
    return value
  }
}
