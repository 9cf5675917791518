import AsyncLocation
import Glibc
import LocationTransport

/// Errors of a gpsd connection, with messages that state how to fix them.
extension LocationError {
  static func cannotConnect(to endpoint: String, _ failure: TransportFailure) -> Self {
    switch failure {
    case .lookup(let code):
      let reason = unsafe String(cString: gai_strerror(code))
      return Self(
        .backendUnavailable,
        "The host of \(endpoint) was not found (\(reason)). Check its name and the network.",
        cause: failure)
    case .system(let code) where code == EACCES || code == EPERM:
      return Self(
        .denied,
        "This process may not connect to \(endpoint) (\(Self.text(of: code))). Check firewall and sandbox.",
        cause: failure)
    case .system(ECONNREFUSED):
      return Self(
        .backendUnavailable,
        "Nothing listens at \(endpoint). Is gpsd running there? It needs -G to serve other hosts.",
        cause: failure)
    case .system(let code) where code == EMFILE || code == ENFILE:
      return Self(
        .backendUnavailable,
        "No file descriptor is left for a connection to \(endpoint) (\(Self.text(of: code))). "
          + "Raise the limit or close files.", cause: failure)
    case .system(let code):
      return Self(
        .backendUnavailable,
        "\(endpoint) cannot be reached (\(Self.text(of: code))). Check host and network.",
        cause: failure)
    case .tooManyLookups:
      return Self(
        .backendUnavailable,
        "The host of \(endpoint) cannot be looked up: too many look-ups are waiting. "
          + "Check the name server, or use addresses.", cause: failure)
    case .unread:
      return .connectionLost(to: endpoint, failure)
    }
  }

  static func connectTimedOut(to endpoint: String, after limit: Duration) -> Self {
    Self(
      .timedOut,
      "\(endpoint) did not answer within \(limit). Check host, network and firewall.")
  }

  static func lookUpTimedOut(of endpoint: String, after limit: Duration) -> Self {
    Self(
      .timedOut,
      "The look-up of the host of \(endpoint) gave no answer within \(limit). The name server does "
        + "not answer, or other look-ups that hang use all threads. Check the name server, or use "
        + "an address.")
  }

  static func noBanner(from endpoint: String, after limit: Duration) -> Self {
    Self(
      .timedOut,
      "\(endpoint) accepted the connection but sent no gpsd greeting within \(limit). "
        + "gpsd may already serve its maximum of 64 clients, or it is not gpsd.")
  }

  static func notGPSD(at endpoint: String, said text: String) -> Self {
    Self(
      .notGPSD,
      "The server at \(endpoint) is not gpsd (it sent '\(String(printable: text, limit: 60))'). "
        + "Check host and port.")
  }

  static func connectionLost(to endpoint: String, _ failure: TransportFailure?) -> Self {
    switch failure {
    case nil:
      Self(.connectionLost, "gpsd at \(endpoint) closed the connection.")
    case .system(let code):
      Self(
        .connectionLost, "The connection to \(endpoint) broke (\(Self.text(of: code))).",
        cause: failure)
    case .lookup, .tooManyLookups, .unread:
      Self(
        .connectionLost, "The connection to \(endpoint) broke: gpsd does not read its commands.",
        cause: failure)
    }
  }

  static func silentConnection(to endpoint: String, for span: Duration) -> Self {
    Self(
      .connectionLost,
      "\(endpoint) was silent for \(span) and does not answer. The connection is considered lost.")
  }

  static func silentReceivers(at endpoint: String, for span: Duration) -> Self {
    Self(
      .locationUnknown,
      "gpsd at \(endpoint) answers, but no receiver has reported for \(span). "
        + "Is one connected and switched on?")
  }

  static func deviceUnknown(
    _ device: String, at endpoint: String, having receivers: [Receiver]
  ) -> Self {
    let shown = receivers.prefix(16).map { "'\(String(printable: $0.name, limit: 128))'" }
    let rest = receivers.count > shown.count ? ", …" : ""
    let list = shown.isEmpty ? "it has none" : "it has \(shown.joined(separator: ", "))\(rest)"
    return Self(
      .deviceUnknown,
      "gpsd at \(endpoint) has no receiver '\(String(printable: device, limit: 128))'; \(list). "
        + "Check the name.")
  }

  static func deviceUnplugged(_ device: String, at endpoint: String) -> Self {
    Self(
      .deviceUnknown,
      "gpsd at \(endpoint) has closed the receiver '\(String(printable: device, limit: 128))'. "
        + "Is it still plugged in?")
  }

  static func complaint(of endpoint: String, _ message: String) -> Self {
    Self(
      .backendUnavailable,
      "gpsd at \(endpoint) reports an error: '\(String(printable: message, limit: 200))'.")
  }

  private static func text(of code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
