extension DatabaseSchema {
  /// The schema of a geocoding cache file. Its application ID is `ALGe`.
  static let geocoding = DatabaseSchema(
    applicationID: 0x414C_4765, owner: "a geocoding cache", steps: [geocoding1]
  ) { _ in }

  // Dates are seconds since 2001. The content is JSON.
  private static let geocoding1 = """
    CREATE TABLE answer (
      id INTEGER PRIMARY KEY,
      date REAL NOT NULL,
      content BLOB NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    """
}
