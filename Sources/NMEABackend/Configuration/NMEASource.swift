public import AsyncLocation
import LocationTransport

/// Where sentences of NMEA 0183 come from.
///
/// As text, which ``init(_:)`` reads and ``description`` has:
///
/// | text | source |
/// | --- | --- |
/// | `/dev/ttyUSB0` | a serial port, whose speed is detected |
/// | `/dev/ttyUSB0@4800` | a serial port with a speed in bits per second |
/// | `tcp://plotter:10110` | a server that sends sentences over TCP |
/// | `tcp://[2001:db8::7]` | the same, by its IPv6 address, at the default port 10110 |
/// | `udp://:10110` | datagrams that arrive at a port of any address |
/// | `udp://192.0.2.7:10110` | datagrams that arrive at a port of one address |
@nonexhaustive
public enum NMEASource: Sendable, Hashable {
  /// A serial port with 8 data bits, no parity and 1 stop bit.
  ///
  /// - Parameters:
  ///   - path: The path of the device, such as "/dev/ttyUSB0" or a link in "/dev/serial/by-id".
  ///   - speed: Bits per second; one of ``speeds``. Nil to detect the speed by listening.
  case serial(path: String, speed: Int? = nil)
  /// A server that sends sentences to each client, such as a chart plotter or a multiplexer. Nothing
  /// is sent to it.
  ///
  /// - Parameters:
  ///   - host: The host name, or the IPv4 or IPv6 address.
  ///   - port: The TCP port, 1...65535.
  case tcp(host: String, port: Int = NMEASource.defaultPort)
  /// Datagrams with one or several sentences, sent to this host or broadcast. A multicast group is
  /// not joined.
  ///
  /// - Parameters:
  ///   - port: The UDP port, 1...65535.
  ///   - address: The numeric IPv4 or IPv6 address to receive at; nil for all addresses.
  case udp(port: Int = NMEASource.defaultPort, address: String? = nil)

  /// The port that is usual for NMEA 0183 over TCP and UDP: 10110.
  public static var defaultPort: Int { 10_110 }

  /// The speeds of a serial port in bits per second, in the order in which they are tried.
  public static var speeds: [Int] { SerialSpeed.all.map(\.bitsPerSecond) }
}

extension NMEASource: CustomStringConvertible {
  /// Reads the text of a source.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for other text, and for a port
  ///   or speed that does not exist.
  public init(_ text: String) throws(LocationError) {
    if text.hasPrefix("/") {
      self = Self.serial(text)
    } else if let rest = text.removing(scheme: "tcp://"), let (host, port) = Self.address(rest),
      !host.isEmpty
    {
      self = .tcp(host: host, port: port)
    } else if let rest = text.removing(scheme: "udp://"), let (host, port) = Self.address(rest) {
      self = .udp(port: port, address: host.isEmpty ? nil : host)
    } else {
      throw LocationError(
        .invalidValue,
        "\(String(quoted: text, limit: 128)) is no source of NMEA 0183. Use the path of a serial "
          + "port, such as /dev/ttyUSB0, tcp://HOST:PORT or udp://:PORT.")
    }
    try validate()
  }

  public var description: String {
    switch self {
    case .serial(let path, let speed): path + (speed.map { "@\($0)" } ?? "")
    case .tcp(let host, let port): "tcp://\(Self.bracketed(host)):\(port)"
    case .udp(let port, let address): "udp://\(address.map(Self.bracketed) ?? ""):\(port)"
    }
  }

  /// The receiver's name in source information and connection states: the text without the speed.
  var device: String {
    if case .serial(let path, _) = self { path } else { description }
  }

  /// The source in messages.
  var endpoint: String { String(printable: device) }

  private static func serial(_ text: String) -> Self {
    guard let at = text.lastIndex(of: "@") else { return .serial(path: text) }
    let digits = text[text.index(after: at)...]
    guard let speed = Int(digits), digits.utf8.allSatisfy(\.isDigit) else {
      return .serial(path: text)
    }
    return .serial(path: String(text[..<at]), speed: speed)
  }

  /// The host and the port of `HOST:PORT`, `[ADDRESS]:PORT` or one of them without the port.
  private static func address(_ text: Substring) -> (host: String, port: Int)? {
    let host: Substring
    var rest: Substring
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      host = text[text.index(after: text.startIndex)..<end]
      rest = text[text.index(after: end)...]
      guard !host.isEmpty else { return nil }
    } else {
      host = text.prefix { $0 != ":" }
      rest = text[host.endIndex...]
    }
    guard !host.contains("/") else { return nil }
    if rest.isEmpty { return (String(host), defaultPort) }
    guard rest.removeFirst() == ":", rest.utf8.allSatisfy(\.isDigit), let port = Int(rest) else {
      return nil
    }
    return (String(host), port)
  }

  private static func bracketed(_ host: String) -> String {
    host.contains(":") ? "[\(host)]" : host
  }
}

extension NMEASource {
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for the first invalid value.
  func validate() throws(LocationError) {
    switch self {
    case .serial(let path, let speed):
      guard path.hasPrefix("/"), !path.utf8.contains(0) else {
        throw LocationError(
          .invalidValue,
          "The path of a serial port must begin with a slash, got \(String(quoted: path)).")
      }
      if let speed, SerialSpeed(speed) == nil {
        throw LocationError(
          .invalidValue,
          "A serial port cannot have \(speed) bits per second; use one of "
            + "\(Self.speeds.sorted().map(String.init).joined(separator: ", ")), or none.")
      }
    case .tcp(let host, let port):
      guard !host.isEmpty, !host.utf8.contains(0) else {
        throw LocationError(
          .invalidValue, "The host must be a name or an address, got \(String(quoted: host)).")
      }
      try Self.check(port)
    case .udp(let port, let address):
      if let address, datagramAddresses == nil {
        throw LocationError(
          .invalidValue,
          "\(String(quoted: address)) is no address of this host to receive datagrams at; use a "
            + "numeric IPv4 or IPv6 address, or none for all.")
      }
      try Self.check(port)
    }
  }

  /// The addresses to receive datagrams at, in order, until one succeeds; nil for text that is no
  /// numeric address.
  var datagramAddresses: [SocketAddress]? {
    guard case .udp(let port, let address) = self else { return nil }
    // "localhost" has several addresses, of which one would be received at.
    if let address, !Self.isNumeric(address) { return nil }
    // The first one receives IPv4 as well. The second one is for systems without IPv6.
    let hosts = address.map { [$0] } ?? ["::", "0.0.0.0"]
    let found = hosts.compactMap { SocketAddress.known(host: $0, port: port) }
    return found.isEmpty ? nil : found.flatMap(\.self)
  }

  /// Whether a host consists of the characters of an IPv4 address, or an IPv6 address with or without
  /// a zone: it is no name.
  private static func isNumeric(_ host: String) -> Bool {
    guard host.contains(":") else { return host.utf8.allSatisfy { $0.isDigit || $0 == 0x2E } }
    return host.prefix { $0 != "%" }.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
  }

  private static func check(_ port: Int) throws(LocationError) {
    guard (1...65_535).contains(port) else {
      throw LocationError(
        .invalidValue, "The port must be in 1...65535, got \(port); \(defaultPort) is usual.")
    }
  }
}

extension String {
  /// The text after a scheme, which may be in capitals (RFC 3986, section 3.1).
  fileprivate func removing(scheme: String) -> Substring? {
    prefix(scheme.count).lowercased() == scheme ? dropFirst(scheme.count) : nil
  }
}
