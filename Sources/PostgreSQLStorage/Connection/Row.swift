import CPQ

/// A row of a result in PostgreSQL's binary formats. Valid only within the call to which it is
/// passed.
@safe struct Row: ~Copyable {
  // SAFETY: valid during the call to which the row is passed; columns are read within their bounds.
  private let result: OpaquePointer
  private var column: Int32 = 0

  init(_ result: OpaquePointer) { unsafe self.result = result }

  /// Whether the next column is null. A null column is skipped.
  mutating func skipNull() -> Bool {
    guard unsafe PQgetisnull(result, 0, column) != 0 else { return false }
    column += 1
    return true
  }

  mutating func integer() throws(PostgreSQLFailure) -> Int64 {
    Int64(bitPattern: try word())
  }

  mutating func double() throws(PostgreSQLFailure) -> Double {
    Double(bitPattern: try word())
  }

  mutating func bool() throws(PostgreSQLFailure) -> Bool { try bytes() == [1] }

  mutating func text() throws(PostgreSQLFailure) -> String {
    String(decoding: try bytes(), as: UTF8.self)
  }

  mutating func optionalBytes() throws(PostgreSQLFailure) -> [UInt8]? {
    skipNull() ? nil : try bytes()
  }

  mutating func bytes() throws(PostgreSQLFailure) -> [UInt8] {
    // SAFETY: libpq retains this many bytes until the result is cleared, which is after the call.
    let value = unsafe UnsafeRawBufferPointer(try field())
    return unsafe Array(value)
  }

  private mutating func word() throws(PostgreSQLFailure) -> UInt64 {
    let value = unsafe UnsafeRawBufferPointer(try field())
    guard value.count == 8 else { throw .malformed("a number has \(value.count) bytes") }
    return unsafe UInt64(bigEndian: value.loadUnaligned(as: UInt64.self))
  }

  private mutating func field() throws(PostgreSQLFailure) -> UnsafeBufferPointer<CChar> {
    defer { column += 1 }
    guard unsafe column < PQnfields(result), unsafe PQgetisnull(result, 0, column) == 0 else {
      throw .malformed("column \(column) is null")
    }
    return unsafe UnsafeBufferPointer(
      start: PQgetvalue(result, 0, column), count: Int(PQgetlength(result, 0, column)))
  }
}
