import AsyncLocation
import CPQ
import Glibc

/// A connection to a PostgreSQL server. One thread uses it at a time; its calls block that thread.
///
/// After a failure, a connection must not be used again, unless the server only refused a
/// statement.
@safe final class Connection {
  // SAFETY: allocated by libpq, used by one thread at a time, and freed once, by `deinit`.
  private let handle: OpaquePointer
  /// How long the server may be silent while a response is due.
  var responseTimeout: Duration

  /// Opens a connection.
  ///
  /// - Parameters:
  ///   - text: A connection string of libpq: a URI or keywords.
  ///   - responseTimeout: How long the server may be silent while a response is due.
  ///   - writes: Whether to refuse a server that is read-only, such as a standby.
  init(_ text: String, responseTimeout: Duration, writes: Bool = true) throws(PostgreSQLFailure) {
    // libpq uses the last value of a keyword: the text, as the value of `dbname`, overrides the
    // values before it.
    let parameters: [(String, String)] = [
      ("fallback_application_name", "AsyncLocation"), ("keepalives_idle", "5"),
      ("keepalives_interval", "2"), ("keepalives_count", "3"), ("tcp_user_timeout", "10000"),
      ("connect_timeout", "5"),
      ("target_session_attrs", writes ? "read-write" : "any"), ("dbname", text),
      ("client_encoding", "UTF8"),
    ]
    let handle = unsafe Self.withCStrings(parameters.map(\.0)) { keywords in
      unsafe Self.withCStrings(parameters.map(\.1)) { values in
        unsafe PQconnectdbParams(keywords, values, 1)
      }
    }
    guard let handle = unsafe handle else {
      throw PostgreSQLFailure(kind: .connection, message: "there is not enough memory")
    }
    unsafe self.handle = handle
    self.responseTimeout = responseTimeout
    guard unsafe PQstatus(handle) == CONNECTION_OK else { throw lost }
    // Notices are discarded and errors are terse, because the text of a statement may contain a
    // coordinate.
    unsafe PQsetNoticeReceiver(handle, { _, _ in }, nil)
    _ = unsafe PQsetErrorVerbosity(handle, PQERRORS_TERSE)
    guard unsafe PQsetnonblocking(handle, 1) == 0 else { throw lost }
  }

  deinit { unsafe PQfinish(handle) }

  /// Whether libpq can parse a connection string without taking a part of its password for a host
  /// or a port. libpq's messages would contain that part.
  static func isValid(_ text: String) -> Bool {
    guard let options = unsafe PQconninfoParse(text, nil) else { return false }
    defer { unsafe PQconninfoFree(options) }
    var option = unsafe options
    while let keyword = unsafe option.pointee.keyword {
      // SAFETY: libpq ends the array with an option without a keyword.
      defer { unsafe option += 1 }
      guard let value = unsafe option.pointee.val.map({ unsafe String(cString: $0) }) else {
        continue
      }
      switch unsafe String(cString: keyword) {
      case "port": guard value.utf8.allSatisfy("0123456789,".utf8.contains) else { return false }
      case "host", "hostaddr": guard !value.utf8.contains(UInt8(ascii: "@")) else { return false }
      default: break
      }
    }
    return true
  }

  /// Runs a body with the texts as an array of C strings, which ends with a null pointer.
  private static func withCStrings<Value>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
  ) -> Value {
    let copies = unsafe texts.map { unsafe UnsafePointer(strdup($0)) } + [nil]
    // SAFETY: each copy is allocated by `strdup`, and freed once, after its use.
    defer {
      for index in unsafe copies.indices {
        unsafe free(UnsafeMutablePointer(mutating: copies[index]))
      }
    }
    return unsafe copies.withUnsafeBufferPointer { unsafe body($0.baseAddress!) }
  }

  /// The server's version as a number, such as 150018.
  var serverVersion: Int { Int(unsafe PQserverVersion(handle)) }

  /// A setting that the server reported, such as `server_encoding`.
  func setting(_ name: String) -> String? {
    unsafe PQparameterStatus(handle, name).map { unsafe String(cString: $0) }
  }

  // MARK: Statements

  /// Runs a statement and ignores its rows.
  func run(
    _ statement: String, _ parameters: Parameters = Parameters()
  ) throws(PostgreSQLFailure) {
    try rows(statement, parameters) { (_) throws(PostgreSQLFailure) in }
  }

  /// Runs statements without parameters, separated by semicolons.
  func script(_ statements: String) throws(PostgreSQLFailure) {
    guard unsafe PQsendQuery(handle, statements) == 1 else { throw lost }
    try unsafe results { _ in }
  }

  /// Runs a statement, and passes each row to a closure as it arrives.
  ///
  /// If the closure throws, the remaining rows are skipped, and the error is thrown after them.
  ///
  /// - Returns: The number of rows that the statement changed or returned.
  @discardableResult
  func rows(
    _ statement: String, _ parameters: Parameters = Parameters(),
    _ body: (inout Row) throws(PostgreSQLFailure) -> Void
  ) throws(PostgreSQLFailure) -> Int {
    guard send(statement, parameters), unsafe PQsetSingleRowMode(handle) == 1 else { throw lost }
    var (failure, count) = (nil as PostgreSQLFailure?, 0)
    try unsafe results { result in
      if unsafe PQresultStatus(result) == PGRES_SINGLE_TUPLE {
        guard failure == nil else { return }
        var row = unsafe Row(result)
        do throws(PostgreSQLFailure) { try body(&row) } catch { failure = error }
      } else {
        count = unsafe Int(String(cString: PQcmdTuples(result))) ?? 0
      }
    }
    if let failure { throw failure }
    return count
  }

  private func send(_ statement: String, _ parameters: Parameters) -> Bool {
    let values = parameters.values
    var offsets: [Int?] = []
    var bytes: [UInt8] = []
    for value in values {
      offsets.append(value == nil ? nil : bytes.count)
      bytes += value ?? []
    }
    bytes.append(0)  // Not empty, so that it has an address.
    let lengths = values.map { Int32($0?.count ?? 0) }
    let formats = Array(repeating: Int32(1), count: values.count)
    // SAFETY: libpq copies the values within the call.
    return unsafe bytes.withUnsafeBytes { buffer in
      let base = unsafe buffer.baseAddress!.assumingMemoryBound(to: CChar.self)
      let pointers = unsafe offsets.map { unsafe $0.map { unsafe base + $0 } }
      return unsafe PQsendQueryParams(
        handle, statement, Int32(values.count), nil, pointers, lengths, formats, 1) == 1
    }
  }

  /// Adds rows to a table.
  ///
  /// - Parameters:
  ///   - rows: The rows, without the end marker.
  ///   - table: The table and its columns.
  func copy(_ rows: CopyBuffer, into table: String) throws(PostgreSQLFailure) {
    guard rows.rowCount > 0 else { return }
    guard unsafe PQsendQuery(handle, "COPY \(table) FROM STDIN (FORMAT binary)") == 1 else {
      throw lost
    }
    try waitForCopy()
    var rows = rows
    rows.finish()
    try put(rows.bytes)
    try complete { unsafe PQputCopyEnd(handle, nil) }
    try unsafe results { _ in }
  }

  /// Sends the bytes of rows, in parts of at most 64 KiB.
  private func put(_ bytes: [UInt8]) throws(PostgreSQLFailure) {
    var position = 0
    while position < bytes.count {
      let count = min(bytes.count - position, 1 << 16)
      try complete {
        unsafe bytes.withUnsafeBytes { buffer in
          unsafe PQputCopyData(
            handle, buffer.baseAddress!.assumingMemoryBound(to: CChar.self) + position,
            Int32(count))
        }
      }
      position += count
    }
  }

  /// Repeats a call until the send buffer has room for it.
  private func complete(_ call: () -> Int32) throws(PostgreSQLFailure) {
    while true {
      switch call() {
      case 1: return
      case 0: try flush()
      default: throw lost
      }
    }
  }

  // MARK: Results

  /// Waits for the results of the sent statements, and passes each successful result to a closure.
  /// Throws the first failure after all results have arrived.
  private func results(_ body: (OpaquePointer) -> Void) throws(PostgreSQLFailure) {
    try flush()
    var failure: PostgreSQLFailure?
    while true {
      try waitForResult()
      guard let result = unsafe PQgetResult(handle) else { break }
      defer { unsafe PQclear(result) }
      if let refusal = unsafe refusal(of: result) {
        failure = failure ?? refusal
      } else {
        unsafe body(result)
      }
    }
    if let failure { throw failure }
    guard unsafe PQstatus(handle) == CONNECTION_OK else { throw lost }
  }

  /// Waits until the server is ready to receive rows.
  private func waitForCopy() throws(PostgreSQLFailure) {
    try flush()
    try waitForResult()
    guard let result = unsafe PQgetResult(handle) else { throw lost }
    defer { unsafe PQclear(result) }
    if let refusal = unsafe refusal(of: result) { throw refusal }
    guard unsafe PQresultStatus(result) == PGRES_COPY_IN else { throw lost }
  }

  /// The failure that a result reports; nil for a successful result.
  private func refusal(of result: OpaquePointer) -> PostgreSQLFailure? {
    switch unsafe PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE, PGRES_COPY_IN: return nil
    default: break
    }
    // The detail of a message is left out, because it may contain the content of a row.
    func field(_ code: Character) -> String? {
      let code = Int32(code.asciiValue ?? 0)
      return unsafe PQresultErrorField(result, code).map { unsafe String(cString: $0) }
    }
    guard let code = field("C"), let message = field("M") else { return lost }
    // After a fatal error, the server ends the connection.
    let isFatal = ["FATAL", "PANIC"].contains(field("V"))
    return PostgreSQLFailure(kind: isFatal ? .connection : .refused(code: code), message: message)
  }

  // MARK: Waiting

  /// Sends the buffered bytes.
  private func flush() throws(PostgreSQLFailure) {
    while true {
      switch unsafe PQflush(handle) {
      case 0: return
      case 1:
        // The server may read nothing more until its own output is read.
        if try wait(for: POLLOUT | POLLIN) & POLLIN != 0, unsafe PQconsumeInput(handle) == 0 {
          throw lost
        }
      default: throw lost
      }
    }
  }

  private func waitForResult() throws(PostgreSQLFailure) {
    while unsafe PQisBusy(handle) == 1 {
      try wait(for: POLLIN)
      guard unsafe PQconsumeInput(handle) == 1 else { throw lost }
    }
  }

  /// Waits until the socket is ready for one of the events of `poll`. Returns the events that
  /// occurred.
  @discardableResult
  private func wait(for events: Int32) throws(PostgreSQLFailure) -> Int32 {
    var entry = pollfd(fd: unsafe PQsocket(handle), events: Int16(events), revents: 0)
    guard entry.fd >= 0 else { throw lost }
    let milliseconds = Int32(clamping: Int(responseTimeout / .milliseconds(1)))
    while true {
      switch unsafe poll(&entry, 1, milliseconds) {
      case 0: throw .timeout
      case 1...: return Int32(entry.revents)
      default: guard errno == EINTR else { throw lost }
      }
    }
  }

  /// The failure of a connection that cannot be used.
  private var lost: PostgreSQLFailure {
    let text = unsafe String(cString: PQerrorMessage(handle))
    // The lines after the first only ask whether the server is running.
    let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    return PostgreSQLFailure(
      kind: .connection, message: line.isEmpty ? "the connection is closed" : line)
  }
}
