import AsyncLocation
import HTTPTransfer

/// Errors of requests to a server, with messages that state how to fix them. Of the server's
/// address, they contain only the scheme, host and port.
extension LocationError {
  /// The error for an answer with a status other than 200...299.
  static func answered(by endpoint: String, status: Int, retryAfter: Duration?) -> Self {
    let server = "The server at \(endpoint)"
    switch status {
    case 401:
      return Self(
        .credentialsRefused, "\(server) does not accept the user name and password (status 401).",
        cause: BrokerRefusal.credentials)
    case 403:
      return Self(
        .denied,
        "\(server) does not allow this client to publish (status 403). Check its rules.",
        cause: BrokerRefusal.notAuthorized(topic: nil))
    case 400, 413, 422:
      return Self(
        .invalidValue,
        "\(server) does not accept a message (status \(status)); it was dropped. Check the "
          + "address, and whether the server expects OwnTracks' JSON.")
    case 429:
      return Self(
        .rateLimited,
        "\(server) refuses publications \(time(retryAfter)) (status 429). They wait and are sent "
          + "again.")
    case 300...399:
      return Self(
        .backendUnavailable,
        "\(server) redirects to another address (status \(status)), which is not followed. Check "
          + "the address, and whether the network asks for a login.")
    case 500...599:
      return Self(
        .backendUnavailable,
        "\(server) fails \(time(retryAfter)) (status \(status)). Publications wait and are sent "
          + "again.")
    default:
      return Self(
        .backendUnavailable,
        "\(server) does not take publications (status \(status)). They wait and are sent again. "
          + "Check the address.")
    }
  }

  private static func time(_ retryAfter: Duration?) -> String {
    guard let retryAfter else { return "for now" }
    return "for \(Int(ExactSeconds.number(retryAfter).rounded(.up))) s"
  }

  /// The error for a request without an answer.
  static func failed(_ endpoint: String, _ failure: HTTPFailure) -> Self {
    let server = "The server at \(endpoint)"
    switch failure {
    case .unreachable(let reason):
      return Self(
        .backendUnavailable, "\(server) cannot be reached: \(reason). Check address and network.",
        cause: failure)
    case .insecure(.files):
      return Self(
        .invalidValue,
        "TLS cannot be set up for \(endpoint). The authority, certificate and key files must be "
          + "PEM and readable.", cause: failure)
    case .insecure(.expired):
      // Renewing the certificate or setting this machine's clock resolves the error.
      return Self(
        .backendUnavailable,
        "The certificate of the server at \(endpoint) is refused: it has expired or is not valid "
          + "yet. Renew it, or check this machine's clock.",
        cause: BrokerRefusal.certificateExpired)
    case .insecure(.untrusted):
      return Self(
        .serverUntrusted,
        "The certificate of the server at \(endpoint) is refused: it is not trusted, or is another "
          + "server's. Check the host's name and the authority file.",
        cause: BrokerRefusal.certificateUntrusted)
    case .insecure(.handshake):
      return Self(
        .backendUnavailable,
        "TLS with the server at \(endpoint) failed. Check the port, and whether it asks for a "
          + "certificate of this client.", cause: BrokerRefusal.handshake)
    case .broken, .withheld:
      return Self(
        .connectionLost,
        "\(server) ended the connection before its answer, or is no HTTP server. The message is "
          + "sent again.", cause: failure)
    case .tooLong:
      return Self(
        .connectionLost,
        "The headers of the answer of the server at \(endpoint) are too long. Check the address.",
        cause: failure)
    case .timedOut:
      return Self(
        .timedOut, "\(server) did not answer in time. The message is sent again.",
        cause: failure)
    }
  }

  static func noTopicOfOwnTracks(_ topic: String) -> Self {
    Self(
      .invalidValue,
      "\(String(printable: topic, limit: 200)) is not a topic of OwnTracks; its message was "
        + "dropped.")
  }
}
