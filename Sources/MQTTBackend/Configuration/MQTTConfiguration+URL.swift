public import AsyncLocation

extension MQTTConfiguration {
  /// Creates a configuration from a URL, `mqtt://HOST[:PORT]` or `mqtts://HOST[:PORT]` for TLS with
  /// the system's certificate authorities. The nodes of a cluster are separated by commas, as in
  /// `mqtt://a.example,b.example:1884`; the first is the ``host``.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` if the scheme, a host or a port
  ///   is invalid, or if anything but one slash follows the last node. A URL with a user name or
  ///   password is refused too: set ``credentials`` instead.
  public init(url: String) throws(LocationError) {
    let (first, others, isSecure) = try Self.parse(url)
    self.init(host: first.host, port: first.port, tls: isSecure ? TLS() : nil)
    alternatives = others
  }

  private static func parse(
    _ url: String
  ) throws(LocationError) -> (first: Address, others: [Address], isSecure: Bool) {
    // Checked first, so that no other error message repeats a password.
    guard !url.contains("@") else {
      throw invalid(
        "mqtt://…@…", "user name and password do not belong in it; use a file or the environment")
    }
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
    guard !rest.unicodeScalars.contains(where: isForbidden) else {
      throw invalid(url, "nothing may follow the port")
    }
    let nodes = rest.split(separator: ",", omittingEmptySubsequences: false)
    let defaultPort = isSecure ? securePort : plainPort
    var others: [Address] = []
    for node in nodes.dropFirst() {
      others.append(try address(of: node, defaultPort: defaultPort, in: url))
    }
    return (try address(of: nodes[0], defaultPort: defaultPort, in: url), others, isSecure)
  }

  /// Parses one node of a URL, `HOST[:PORT]`. Error messages quote the whole URL.
  private static func address(
    of node: Substring, defaultPort: Int, in url: String
  ) throws(LocationError) -> Address {
    var rest = node
    let host = try host(of: &rest, in: url)
    guard !rest.isEmpty else { return Address(host: host, port: defaultPort) }
    let digits = rest.dropFirst()
    guard rest.hasPrefix(":"), digits.utf8.allSatisfy({ (48...57).contains($0) }),
      let port = Int(digits), (1...65_535).contains(port)
    else {
      throw invalid(
        url,
        rest.dropFirst().contains(":")
          ? missingBrackets : "the port must be a number in 1...65535")
    }
    return Address(host: host, port: port)
  }

  /// Removes the host from the start of `rest` and returns it.
  private static func host(
    of rest: inout Substring, in url: String
  ) throws(LocationError) -> String {
    let host: Substring
    if rest.hasPrefix("[") {
      guard let end = rest.firstIndex(of: "]") else { throw invalid(url, "a bracket is missing") }
      host = rest[rest.index(after: rest.startIndex)..<end]
      guard host.contains(":") else { throw invalid(url, "only IPv6 addresses have brackets") }
      rest = rest[rest.index(after: end)...]
    } else {
      host = rest.prefix { $0 != ":" }
      guard !host.contains("%") else {
        throw invalid(url, "the host's name is written without percent-encoding")
      }
      rest = rest[host.endIndex...]
    }
    guard !host.isEmpty else {
      throw invalid(
        url,
        rest.dropFirst().contains(":") ? missingBrackets : "the host is missing")
    }
    return String(host)
  }

  private static var missingBrackets: String {
    "an IPv6 address needs brackets, as in mqtt://[::1]"
  }

  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    "/?#".unicodeScalars.contains(scalar) || scalar.properties.isWhitespace
      || scalar.properties.generalCategory == .control
  }

  private static func invalid(_ url: String, _ reason: String) -> LocationError {
    LocationError(
      .invalidValue,
      "\"\(String(printable: url, limit: 80))\" is not the address of an MQTT broker: \(reason). "
        + "Write, for example, mqtt://broker.local:1883, or mqtt://a.local,b.local for two nodes.")
  }
}
