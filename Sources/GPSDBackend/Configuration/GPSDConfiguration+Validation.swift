import AsyncLocation

extension GPSDConfiguration {
  /// The endpoint in the usual notation, for messages.
  var endpoint: String {
    switch transport {
    case .socket:
      (host.contains(":") ? "[\(String(printable: host))]" : String(printable: host)) + ":\(port)"
    case .sharedMemory: "shared memory"
    }
  }

  /// Checks the values. The host and the port are checked only for the socket, and the interval
  /// only for shared memory.
  ///
  /// - Throws: ``LocationError`` with `invalidValue` for the first invalid value.
  func validate() throws(LocationError) {
    switch transport {
    case .socket:
      if host.isEmpty {
        throw LocationError(.invalidValue, "The host is empty; use gpsd's host name or address.")
      }
      if host.utf8.contains(0) {
        throw LocationError(
          .invalidValue,
          "The host contains a NUL character: \"\(String(printable: host, limit: 80))\".")
      }
      if !(1...65_535).contains(port) {
        throw LocationError(
          .invalidValue, "The port must be in 1...65535, got \(port); gpsd's default is 2947.")
      }
    case .sharedMemory:
      try Self.check(sharedMemoryInterval, atLeast: .milliseconds(10), "sharedMemoryInterval")
    }
    if let invalid = device.flatMap(LocationError.invalidDevice) { throw invalid }
    try Self.check(connectTimeout, atLeast: .milliseconds(1), "connectTimeout")
    try Self.check(handshakeTimeout, atLeast: .milliseconds(1), "handshakeTimeout")
    try Self.check(fixTimeout, atLeast: .milliseconds(1), "fixTimeout")
    try Self.check(silenceTimeout, atLeast: .milliseconds(1), "silenceTimeout")
    if let problem = reconnection.problem { throw LocationError(.invalidValue, problem) }
    if !(256...16_777_216).contains(maximumLineLength) {
      throw LocationError(
        .invalidValue,
        "maximumLineLength must be in 256...16777216 bytes, got \(maximumLineLength).")
    }
  }

  private static let longest = Duration.seconds(1_000_000_000)  // The sum of two does not overflow.

  private static func check(
    _ duration: Duration, atLeast least: Duration, _ name: String
  ) throws(LocationError) {
    guard duration >= least, duration <= longest else {
      throw LocationError(
        .invalidValue, "\(name) must be at least \(least) and at most \(longest), got \(duration).")
    }
  }
}
