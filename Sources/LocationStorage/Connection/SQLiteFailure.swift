import CSQLite

/// A failed call of SQLite, or a row that no version of this package writes.
struct SQLiteFailure: Error, Hashable, CustomStringConvertible {
  /// SQLite's extended result code.
  let code: Int32
  let description: String

  init(_ code: Int32, _ description: String) {
    (self.code, self.description) = (code, description)
  }

  /// Content that no version of this package writes.
  static func corrupt(_ description: String) -> Self { Self(SQLITE_CORRUPT, description) }

  /// True if the file cannot be written, or if its header declares it read-only.
  var isReadOnly: Bool { code & 0xFF == SQLITE_READONLY }

  /// True if the disk has no space. The transaction was rolled back.
  var isFullDisk: Bool { code & 0xFF == SQLITE_FULL }

  /// The meaning of a failure for a file.
  enum Kind: Hashable, Sendable {
    /// The file's content is damaged.
    case damage
    /// Another program has locked the file.
    case locked
    /// The file cannot be read, or cannot be written.
    case access
  }

  var kind: Kind {
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED: .locked
    // `SQLITE_ERROR` means that a statement does not match the tables of the file.
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_ERROR, SQLITE_MISMATCH,
      SQLITE_CONSTRAINT, SQLITE_SCHEMA, SQLITE_TOOBIG, SQLITE_RANGE, SQLITE_AUTH, SQLITE_EMPTY,
      SQLITE_INTERNAL:
      .damage
    default: .access
    }
  }
}
