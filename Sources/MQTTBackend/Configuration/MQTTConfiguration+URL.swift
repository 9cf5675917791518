public import AsyncLocation

extension MQTTConfiguration {
  /// Creates a configuration from a URL, `mqtt://HOST[:PORT]` or `mqtts://HOST[:PORT]` for TLS with
  /// the system's authorities.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for another scheme, a user name or
  ///   password, which belong in ``credentials``, or anything after the port.
  public init(url: String) throws(LocationError) {
    let parts = try Self.parse(url)
    self.init(host: parts.host, port: parts.port, tls: parts.isSecure ? TLS() : nil)
  }

  private static func parse(
    _ url: String
  ) throws(LocationError) -> (host: String, port: Int?, isSecure: Bool) {
    var rest = url[...]
    let isSecure: Bool
    if rest.lowercased().hasPrefix("mqtt://") {
      isSecure = false
    } else if rest.lowercased().hasPrefix("mqtts://") {
      isSecure = true
    } else {
      throw invalid(url, "it must begin with mqtt:// or mqtts://")
    }
    rest = rest.dropFirst(isSecure ? 8 : 7)
    if rest.hasSuffix("/") { rest.removeLast() }
    guard !rest.contains("@") else {
      throw invalid(
        "mqtt://…@…", "user name and password do not belong in it; use a file or the environment")
    }
    guard !rest.contains(where: { "/?#".contains($0) || $0.isWhitespace }) else {
      throw invalid(url, "nothing may follow the port")
    }
    let host: Substring
    if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
      host = rest[rest.index(after: rest.startIndex)..<end]
      rest = rest[rest.index(after: end)...]
    } else {
      host = rest.prefix { $0 != ":" }
      rest = rest[host.endIndex...]
    }
    guard !host.isEmpty else { throw invalid(url, "the host is missing") }
    guard !rest.isEmpty else { return (String(host), nil, isSecure) }
    guard rest.hasPrefix(":"), let port = Int(rest.dropFirst()), (1...65_535).contains(port) else {
      throw invalid(url, "the port must be a number in 1...65535")
    }
    return (String(host), port, isSecure)
  }

  private static func invalid(_ url: String, _ reason: String) -> LocationError {
    LocationError(
      .invalidValue,
      "\"\(String(printable: url, limit: 80))\" is not the address of an MQTT broker: \(reason). "
        + "Write, for example, mqtt://broker.local:1883.")
  }
}
