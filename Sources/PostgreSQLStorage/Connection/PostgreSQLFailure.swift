import AsyncLocation

/// A failed operation on a PostgreSQL database.
struct PostgreSQLFailure: Error, Hashable {
  enum Kind: Hashable {
    /// There is no connection, it broke, or the server ended it.
    case connection
    /// The server did not answer in time.
    case timeout
    /// The server refused a statement, with a SQLSTATE code of appendix A of PostgreSQL's manual.
    case refused(code: String)
    /// The server or the database cannot be used by this version.
    case unsupported
    /// A stored value is not one that this version writes.
    case malformed
  }

  let kind: Kind
  let message: String

  /// Whether a retry may succeed without a change of the database or its configuration.
  var isTransient: Bool {
    switch kind {
    case .connection, .timeout: true
    // 40: transaction rollback; 53: insufficient resources; 57: operator intervention; 55P03: lock
    // not available.
    case .refused(let code): ["40", "53", "57"].contains(code.prefix(2)) || code == "55P03"
    case .unsupported, .malformed: false
    }
  }

  static func malformed(_ value: String) -> Self {
    PostgreSQLFailure(kind: .malformed, message: "a stored value is malformed: \(value)")
  }

  static func unsupported(_ message: String) -> Self {
    PostgreSQLFailure(kind: .unsupported, message: message)
  }

  static let timeout = PostgreSQLFailure(
    kind: .timeout, message: "the server did not answer in time")

  /// The failure as an error of a fleet's storage.
  ///
  /// - Parameter participle: The participle of the failed operation, such as "written".
  func error(_ participle: String) -> LocationError {
    LocationError(
      kind == .unsupported ? .unsupported : .storageUnavailable,
      "The fleet's database cannot be \(participle): \(String(printable: message)).", cause: self)
  }
}
