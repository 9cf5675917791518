import AsyncLocation

extension MQTTConfiguration {
  /// The addresses of all nodes, in the order in which they are tried.
  var addresses: [Address] { [Address(host: host, port: port)] + alternatives }

  /// The URL of the broker, for error messages.
  var endpoint: String {
    (tls == nil ? "mqtt://" : "mqtts://")
      + addresses.map { address in
        let host = String(printable: address.host)
        return (host.contains(":") ? "[\(host)]" : host) + ":\(address.port)"
      }.joined(separator: ",")
  }

  /// Whether a connection attempt reads files, which may block.
  var needsFiles: Bool {
    if case .file = credentials { return true }
    return tls != nil
  }

  /// Checks the values without reading files or the environment.
  ///
  /// - Throws: ``LocationError`` with `invalidValue` for the first invalid value.
  func validate() throws(LocationError) {
    guard addresses.count <= 16 else {
      throw Self.invalid("A cluster may have at most 16 nodes here, got \(addresses.count).")
    }
    for address in addresses {
      if address.host.isEmpty || address.host.utf8.contains(0) {
        throw Self.invalid("The host must be a name or an address, without NUL characters.")
      }
      guard (1...65_535).contains(address.port) else {
        throw Self.invalid(
          "The port must be in 1...65535, got \(address.port); a broker's usual one is 1883.")
      }
    }
    guard (.seconds(5)...(.seconds(65_535))).contains(keepAlive) else {
      throw Self.invalid("keepAlive must be in 5 s...65,535 s, got \(keepAlive).")
    }
    guard (.zero...(.seconds(UInt32.max - 1))).contains(sessionExpiry) else {
      throw Self.invalid("sessionExpiry must be in 0 s...4,294,967,294 s, got \(sessionExpiry).")
    }
    guard (256...268_435_455).contains(maximumPacketSize) else {
      throw Self.invalid(
        "maximumPacketSize must be in 256...268,435,455 bytes, got \(maximumPacketSize).")
    }
    guard (.milliseconds(1)...(.seconds(86_400))).contains(connectTimeout) else {
      throw Self.invalid("connectTimeout must be in 1 ms...86,400 s, got \(connectTimeout).")
    }
    if let identifier = clientIdentifier {
      guard (1...1024).contains(identifier.utf8.count),
        !identifier.utf8.contains(where: { $0 < 32 || $0 == 127 })
      else {
        throw Self.invalid("clientIdentifier must have 1...1,024 bytes, none of them a control.")
      }
    }
    if let tls, (tls.certificateFile == nil) != (tls.keyFile == nil) {
      throw Self.invalid("A client's certificate needs its key, and a key its certificate.")
    }
    let files = [tls?.authorityFile, tls?.certificateFile, tls?.keyFile]
    guard files.allSatisfy({ $0?.utf8.contains(0) != true }) else {
      throw Self.invalid("The path of a file for TLS contains a NUL character.")
    }
    if let problem = reconnection.problem { throw Self.invalid(problem) }
  }

  private static func invalid(_ message: String) -> LocationError {
    LocationError(.invalidValue, message)
  }
}
