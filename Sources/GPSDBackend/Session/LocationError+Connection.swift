import AsyncLocation
import LocationTransport

/// Errors of a gpsd connection, with messages that state how to fix them.
extension LocationError {
  static func cannotConnect(to endpoint: String, _ failure: TransportFailure) -> Self {
    cannotOpenConnection(
      to: endpoint, failure,
      ifRefused: "Is gpsd running there? It needs -G to serve other hosts.")
      ?? .connectionLost(to: endpoint, failure)
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
        .connectionLost, "The connection to \(endpoint) broke (\(text(ofErrno: code))).",
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
}
