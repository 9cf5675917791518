import AsyncLocation
import Glibc
import LocationTransport

/// Errors of a source of sentences, with messages that state how to fix them.
extension LocationError {
  static func cannotConnect(to endpoint: String, _ failure: TransportFailure) -> Self {
    cannotOpenConnection(
      to: endpoint, failure,
      ifRefused: "Does the plotter or multiplexer serve NMEA 0183 there?")
      ?? .connectionLost(to: endpoint, failure)
  }

  static func connectionLost(to endpoint: String, _ failure: TransportFailure?) -> Self {
    guard case .system(let code)? = failure else {
      return Self(.connectionLost, "The other end of \(endpoint) closed the connection.")
    }
    return Self(
      .connectionLost, "The connection to \(endpoint) broke (\(text(ofErrno: code))).",
      cause: failure)
  }

  // MARK: Ports

  /// - Parameter group: The group of the device.
  static func cannotOpenPort(_ path: String, _ code: Int32, group: String? = nil) -> Self {
    let shown = String(printable: path)
    let cause = TransportFailure.system(errno: code)
    switch code {
    case EACCES, EPERM:
      let remedy =
        group.map { group in
          if group == "root" {
            return "It belongs to the group root: a udev rule must give it another group, such as "
              + "dialout, with the right to read. Then add the process's user to that group."
          }
          let group = String(printable: group, limit: 64)
          return "Add its user to the group \(group): usermod -aG \(group) USER; then log in again."
        } ?? "Check the permissions of the device and of the folders above it."
      return Self(
        .denied, "This process may not read \(shown) (\(text(ofErrno: code))). \(remedy)",
        cause: cause)
    case ENOENT, ENOTDIR, ENODEV, ENXIO:
      return Self(
        .backendUnavailable,
        "There is no device at \(shown) (\(text(ofErrno: code))). Is the receiver plugged in?",
        cause: cause)
    case EBUSY:
      return Self(
        .backendUnavailable,
        "Another program uses \(shown) exclusively. If that is gpsd, use GPSDBackend, or stop gpsd.",
        cause: cause)
    default:
      return Self(
        .backendUnavailable,
        "\(shown) cannot be opened (\(text(ofErrno: code))). Check the device.",
        cause: cause)
    }
  }

  static func cannotReadPort(_ path: String, _ failure: TransportFailure) -> Self {
    guard case .system(let code) = failure else { return .connectionLost(to: path, failure) }
    return .cannotOpenPort(path, code)
  }

  static func notSerialPort(_ path: String) -> Self {
    Self(
      .invalidValue,
      "\(String(printable: path)) is not a serial port. Use the path of a device, such as "
        + "/dev/ttyUSB0; recordings are replayed with LocationRecording.")
  }

  static func unplugged(_ endpoint: String) -> Self {
    Self(
      .connectionLost,
      "\(endpoint) has hung up: the receiver was unplugged. It is opened again when it is back.")
  }

  static func cannotBind(_ source: NMEASource, _ code: Int32) -> Self {
    let cause = TransportFailure.system(errno: code)
    switch code {
    case EADDRINUSE:
      return Self(
        .backendUnavailable,
        "Another program receives at \(source.endpoint). Stop it, or use another port.",
        cause: cause)
    case EACCES, EPERM:
      return Self(
        .denied,
        "This process may not receive at \(source.endpoint) (\(text(ofErrno: code))). "
          + "Ports below 1024 need a privilege; use a higher one.", cause: cause)
    default:
      return Self(
        .backendUnavailable,
        "Datagrams cannot be received at \(source.endpoint) (\(text(ofErrno: code))). "
          + "Check the address.", cause: cause)
    }
  }

  // MARK: Content

  static func silent(_ endpoint: String, for span: Duration) -> Self {
    Self(
      .locationUnknown,
      "\(endpoint) has sent nothing for \(span). Is a receiver connected and switched on?")
  }

  /// - Parameter types: The types of the sentences.
  static func noPositions(_ endpoint: String, sentences types: [String]) -> Self {
    let list = types.isEmpty ? "" : ": \(types.joined(separator: ", "))"
    return Self(
      .locationUnknown,
      "\(endpoint) sends NMEA 0183, but no positions\(list). Connect it to the receiver's output, or "
        + "let the multiplexer pass GGA or RMC.")
  }

  /// The loss of a TCP connection that is silent, and may be half open.
  static func silentConnection(to endpoint: String, for span: Duration) -> Self {
    Self(
      .connectionLost,
      "\(endpoint) has sent nothing for \(span). The connection is considered lost.")
  }

  /// - Parameters:
  ///   - content: What it sends instead.
  ///   - isSerial: Whether no speed gave sentences.
  static func notNMEA(
    _ endpoint: String, sent content: ForeignContent, isSerial: Bool
  ) -> Self {
    let general =
      isSerial
      ? "Set its speed, or switch the receiver to NMEA 0183."
      : "Check the address, and that the sender is set to NMEA 0183."
    let (found, remedy) =
      switch content {
      case .gpsd: ("that is gpsd", "Use GPSDBackend.")
      case .webServer: ("that is a web server", general)
      case .shell: ("that is an SSH server", general)
      case .receiverProtocol(let name): ("that is \(name)", general)
      case .wrongChecksums:
        ("all checksums are wrong", isSerial ? general : "Check the line and the sender.")
      case .text: ("that is other text", general)
      case .binary: ("that is binary", general)
      }
    return Self(
      .unsupported, "\(endpoint) sends something other than NMEA 0183: \(found). \(remedy)")
  }

  static func noFix(_ device: String) -> Self {
    Self(
      .locationUnknown,
      "\(device) has no fix; check its antenna's view of the sky, and wait.")
  }
}
