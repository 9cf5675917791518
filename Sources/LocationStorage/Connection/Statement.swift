import CSQLite

/// A prepared statement. Binds parameters and reads columns from left to right.
///
/// A group of values ends with its checksum: ``bindChecksum()`` writes it, and ``checkChecksum()``
/// compares it.
///
// SAFETY: `raw` comes from `sqlite3_prepare_v3`, never leaves this file, and is finalized here
// only. SQLite copies what is bound. Pointers to columns are read before the next call.
@safe
struct Statement: ~Copyable {
  private let raw: OpaquePointer
  /// Retained, so that the connection is open as long as the statement exists.
  private let connection: Connection
  private var parameter: Int32 = 0
  private var column: Int32 = 0
  private var checksum = Checksum()

  init(_ raw: OpaquePointer, of connection: Connection) {
    unsafe self.raw = raw
    self.connection = connection
  }

  deinit { unsafe sqlite3_finalize(raw) }

  // MARK: Running

  /// Advances to the next row.
  ///
  /// - Returns: False after the last row; the statement is then reset and can run again.
  mutating func step() throws(SQLiteFailure) -> Bool {
    column = 0
    checksum = Checksum()
    switch unsafe sqlite3_step(raw) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      reset()
      return false
    default:
      let failure = connection.failure()
      reset()
      throw failure
    }
  }

  /// Runs a statement to its end and ignores its rows.
  mutating func run() throws(SQLiteFailure) {
    while try step() {}
  }

  /// Ends a run before its last row, and clears the parameters.
  mutating func reset() {
    unsafe sqlite3_reset(raw)
    unsafe sqlite3_clear_bindings(raw)
    (parameter, column, checksum) = (0, 0, Checksum())
  }

  // MARK: Binding

  mutating func bind(_ value: Int64?) throws(SQLiteFailure) {
    parameter += 1
    checksum.combine(value)
    guard let value else { return }  // Parameters are null until they are bound.
    try check(unsafe sqlite3_bind_int64(raw, parameter, value))
  }

  /// Binds a number, which must not be NaN: SQLite cannot store NaN.
  mutating func bind(_ value: Double?) throws(SQLiteFailure) {
    parameter += 1
    checksum.combine(value)
    guard let value else { return }
    try check(unsafe sqlite3_bind_double(raw, parameter, value))
  }

  mutating func bind(_ value: String) throws(SQLiteFailure) {
    parameter += 1
    var text = value
    let status = text.withUTF8 { bytes in
      unsafe checksum.combine(text: UnsafeRawBufferPointer(bytes))
      return unsafe csqlite_bind_text(
        raw, parameter, UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self),
        Int32(clamping: bytes.count))
    }
    try check(status)
  }

  mutating func bind(_ value: [UInt8]?) throws(SQLiteFailure) {
    parameter += 1
    guard let value else { return checksum.combineNull() }
    let status = unsafe value.withUnsafeBytes { bytes in
      unsafe checksum.combine(bytes: bytes)
      return unsafe csqlite_bind_blob(
        raw, parameter, bytes.baseAddress, Int32(clamping: bytes.count))
    }
    try check(status)
  }

  /// Binds the checksum of a group, which ends the group.
  mutating func bindChecksum() throws(SQLiteFailure) {
    parameter += 1
    try check(unsafe sqlite3_bind_int64(raw, parameter, checksum.value))
    checksum = Checksum()
  }

  /// Leaves a group of parameters and its checksum null.
  ///
  /// - Parameter count: The number of the group's values, without the checksum.
  mutating func skipGroup(ofCount count: Int32) { parameter += count + 1 }

  private func check(_ status: Int32) throws(SQLiteFailure) {
    guard status == SQLITE_OK else { throw connection.failure() }
  }

  // MARK: Reading

  mutating func integer() throws(SQLiteFailure) -> Int64 {
    guard let value = try optionalInteger() else { throw .corrupt("a number is missing") }
    return value
  }

  mutating func optionalInteger() throws(SQLiteFailure) -> Int64? {
    guard try next(SQLITE_INTEGER) else { return nil }
    let value = unsafe sqlite3_column_int64(raw, column - 1)
    checksum.combine(value)
    return value
  }

  mutating func double() throws(SQLiteFailure) -> Double {
    guard let value = try optionalDouble() else { throw .corrupt("a number is missing") }
    return value
  }

  mutating func optionalDouble() throws(SQLiteFailure) -> Double? {
    guard try next(SQLITE_FLOAT) else { return nil }
    let value = unsafe sqlite3_column_double(raw, column - 1)
    checksum.combine(value)
    return value
  }

  mutating func text() throws(SQLiteFailure) -> String {
    guard try next(SQLITE_TEXT), let start = unsafe sqlite3_column_text(raw, column - 1) else {
      throw .corrupt("a text is missing")
    }
    let bytes = unsafe UnsafeBufferPointer(
      start: start, count: Int(sqlite3_column_bytes(raw, column - 1)))
    unsafe checksum.combine(text: UnsafeRawBufferPointer(bytes))
    guard let text = unsafe String(validating: bytes, as: UTF8.self) else {
      throw .corrupt("a text is not UTF-8")
    }
    return text
  }

  mutating func optionalBytes() throws(SQLiteFailure) -> [UInt8]? {
    guard try next(SQLITE_BLOB) else { return nil }
    // An empty blob has no address.
    let bytes = unsafe UnsafeRawBufferPointer(
      start: sqlite3_column_blob(raw, column - 1), count: Int(sqlite3_column_bytes(raw, column - 1))
    )
    unsafe checksum.combine(bytes: bytes)
    return unsafe [UInt8](bytes)
  }

  /// Begins a group after values that have no checksum.
  mutating func beginGroup() { checksum = Checksum() }

  /// Compares the checksum of a group, which ends the group.
  ///
  /// - Throws: ``SQLiteFailure`` if the values are not those that were bound.
  mutating func checkChecksum() throws(SQLiteFailure) {
    let expected = checksum.value
    guard try next(SQLITE_INTEGER), unsafe sqlite3_column_int64(raw, column - 1) == expected else {
      throw .corrupt("a checksum does not match")
    }
    checksum = Checksum()
  }

  /// Skips a group whose values are all null, and returns true; returns false for any other group.
  ///
  /// - Parameter count: The number of its values, without the checksum.
  mutating func skipNullGroup(ofCount count: Int32) throws(SQLiteFailure) -> Bool {
    for offset in 0...count
    where unsafe sqlite3_column_type(raw, column + offset) != SQLITE_NULL { return false }
    column += count + 1
    return true
  }

  /// Advances past the next column, which must be null or of a type.
  ///
  /// - Returns: False if the column is null.
  private mutating func next(_ type: Int32) throws(SQLiteFailure) -> Bool {
    let found = unsafe sqlite3_column_type(raw, column)
    column += 1
    if found == type { return true }
    guard found == SQLITE_NULL else { throw .corrupt("a value has another type") }
    checksum.combineNull()
    return false
  }
}
