import AsyncLocation
import CMosquittoShims
import Glibc
import LocationTransport

/// Advice in error messages that names members of a configuration. The example tool replaces it
/// with advice that names its options.
package enum BrokerAdvice {
  package static let setCredentials = "Set the configuration's credentials."
  package static let setCertificate =
    "Set certificateFile and keyFile of the configuration's TLS options."
  package static let checkAuthority = "Check the host's name and the authority file."
}

/// Errors of a connection to a broker, with messages that state how to fix them.
extension LocationError {
  /// Whether a publisher makes another attempt after the error: credentials and rights may be
  /// renewed.
  ///
  /// - Parameter hasSucceeded: Whether an attempt of the same run has succeeded.
  func mayHeal(afterSuccess hasSucceeded: Bool) -> Bool {
    switch code {
    case .credentialsRefused, .denied: true
    // A file that was usable before is probably being replaced.
    case .invalidValue: hasSucceeded
    default: isTransient
    }
  }

  static func cannotConnect(toBroker endpoint: String, _ failure: TransportFailure) -> Self {
    let reason =
      switch failure {
      case .lookup(let code):
        "its host was not found (\(unsafe String(cString: gai_strerror(code)))). Check its name"
      case .system(ECONNREFUSED): "nothing listens there. Check the port and whether it runs"
      // The code that libmosquitto sets when the other end refuses the handshake.
      case .system(EPROTO):
        "TLS failed. Check whether the broker accepts the certificate of this client, or asks for one"
      case .system(let code): "\(unsafe String(cString: strerror(code))). Check host and network"
      case .tooManyLookups: "too many look-ups are waiting. Check the name server"
      case .unread: "it does not read. Check the broker"
      }
    return Self(
      .backendUnavailable, "The broker at \(endpoint) cannot be reached: \(reason).",
      cause: failure)
  }

  static func brokerTimedOut(_ endpoint: String, after limit: Duration) -> Self {
    Self(
      .timedOut,
      "The broker at \(endpoint) did not answer within \(limit). Check host, port and firewall, and "
        + "whether it expects TLS.")
  }

  static func brokerSilent(_ endpoint: String) -> Self {
    Self(
      .connectionLost,
      "The broker at \(endpoint) does not answer any more. The connection is considered lost.")
  }

  static func unacknowledged(by endpoint: String, for limit: Duration) -> Self {
    Self(
      .connectionLost,
      "The broker at \(endpoint) has not acknowledged a publication for \(limit). The connection is "
        + "considered lost, and it is sent again.")
  }

  /// The error for a file that OpenSSL cannot use.
  ///
  /// - Parameter reason: The object that cannot be used, and OpenSSL's reason.
  static func tlsFiles(_ reason: String, _ configuration: MQTTConfiguration.TLS) -> Self {
    let shown = String(printable: reason, limit: 200)
    guard let file = configuration.file(in: reason) else {
      return Self(.invalidValue, "TLS cannot be set up, \(shown).")
    }
    let path = String(printable: file, limit: 200)
    guard reason.contains("mismatch"), let certificate = configuration.certificateFile else {
      return Self(
        .invalidValue,
        "TLS cannot be set up with \(path), \(shown). The file must be PEM.")
    }
    return Self(
      .invalidValue,
      "TLS cannot be set up with \(path), \(shown). It is not the key of the certificate in "
        + "\(String(printable: certificate, limit: 200)).")
  }

  /// The error for a CONNACK in which the broker refuses the connection.
  ///
  /// - Parameters:
  ///   - reasonCode: A reason code of MQTT 5, or a return code of MQTT 3.1.1, 1...5.
  ///   - hasUser: Whether a user name and a password were sent. Mosquitto returns "not authorized"
  ///     both if they are wrong and if they are missing.
  static func refused(by endpoint: String, reasonCode: UInt8, hasUser: Bool) -> Self {
    let server = "The broker at \(endpoint)"
    switch Int(reasonCode) {
    case Int(MQTT_RC_NOT_AUTHORIZED.rawValue) where hasUser, 5 where hasUser,
      Int(MQTT_RC_BAD_USERNAME_OR_PASSWORD.rawValue), 4:
      return Self(
        .credentialsRefused,
        "\(server) does not accept the user name and password of this client. Check both.",
        cause: BrokerRefusal.credentials)
    case Int(MQTT_RC_NOT_AUTHORIZED.rawValue), 5:
      return Self(
        .credentialsRefused,
        "\(server) does not allow clients without a user name and a password. "
          + BrokerAdvice.setCredentials, cause: BrokerRefusal.credentials)
    case Int(MQTT_RC_BANNED.rawValue), Int(MQTT_RC_BAD_AUTHENTICATION_METHOD.rawValue):
      return Self(
        .denied,
        "\(server) does not allow this client (\(reasonText(reasonCode))). Check its rules for this "
          + "client.", cause: BrokerRefusal.notAuthorized(topic: nil))
    case Int(MQTT_RC_CLIENTID_NOT_VALID.rawValue), 2:
      return Self(
        .invalidValue, "\(server) does not accept the client identifier.",
        cause: BrokerRefusal.clientIdentifier)
    case Int(MQTT_RC_QOS_NOT_SUPPORTED.rawValue):
      return Self(
        .unsupported,
        "\(server) does not accept quality of service 1, which this client needs to know what has "
          + "arrived. Allow it; in mosquitto's configuration, max_qos limits it.",
        cause: BrokerRefusal.other(reasonCode: reasonCode))
    case Int(MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION.rawValue),
      Int(MQTT_RC_MALFORMED_PACKET.rawValue), Int(MQTT_RC_PROTOCOL_ERROR.rawValue), 1:
      return noBroker(endpoint)
    default:
      return Self(
        .backendUnavailable,
        "\(server) refuses the connection (\(reasonText(reasonCode))). It is tried again.",
        cause: BrokerRefusal.other(reasonCode: reasonCode))
    }
  }

  /// The error for a DISCONNECT from the broker.
  static func ended(by endpoint: String, reasonCode: UInt8) -> Self {
    let server = "The broker at \(endpoint)"
    guard reasonCode == UInt8(MQTT_RC_SESSION_TAKEN_OVER.rawValue) else {
      return Self(
        .connectionLost, "\(server) ended the connection (\(reasonText(reasonCode))).",
        cause: BrokerRefusal.other(reasonCode: reasonCode))
    }
    return Self(
      .connectionLost,
      "\(server) ended the connection, since another client connected with the identifier of this "
        + "one. Give each client its own.", cause: BrokerRefusal.takenOver)
  }

  /// The error for a server that does not speak MQTT in a requested version.
  static func noBroker(_ endpoint: String) -> Self {
    Self(
      .unsupported,
      "The broker at \(endpoint) does not speak MQTT in a requested version, or is no broker. Check "
        + "the port and whether it expects TLS.", cause: BrokerRefusal.protocolVersion)
  }

  /// The error for a group at a broker that speaks MQTT 3.1.1.
  static func noGroups(at endpoint: String) -> Self {
    Self(
      .unsupported,
      "The broker at \(endpoint) speaks MQTT 3.1.1, which has no groups. Follow the fleet without a "
        + "group, or use a broker that speaks MQTT 5.", cause: BrokerRefusal.protocolVersion)
  }

  /// The error for a refused subscription.
  static func subscriptionRefused(
    by endpoint: String, filter: String, reasonCode: UInt8
  ) -> Self {
    let code: Code
    let cause: BrokerRefusal
    switch UInt32(reasonCode) {
    case MQTT_RC_NOT_AUTHORIZED.rawValue:
      (code, cause) = (.denied, .notAuthorized(topic: filter))
    case MQTT_RC_UNSPECIFIED.rawValue, MQTT_RC_IMPLEMENTATION_SPECIFIC.rawValue,
      MQTT_RC_PACKET_ID_IN_USE.rawValue, MQTT_RC_QUOTA_EXCEEDED.rawValue:
      // The refusal may be temporary.
      (code, cause) = (.backendUnavailable, .other(reasonCode: reasonCode))
    default: (code, cause) = (.unsupported, .other(reasonCode: reasonCode))
    }
    return Self(
      code,
      "The broker at \(endpoint) refuses the subscription to "
        + "\(String(printable: filter, limit: 200)) (\(reasonText(reasonCode))). Check its rules "
        + "for this client.", cause: cause)
  }

  /// The error for a subscription with a lower quality of service than requested.
  static func subscriptionDowngraded(
    by endpoint: String, filter: String, quality: UInt8
  ) -> Self {
    Self(
      .unsupported,
      "The broker at \(endpoint) grants the subscription to "
        + "\(String(printable: filter, limit: 200)) quality of service \(quality) only, so that "
        + "messages may be lost on the way. Check its limits and its rules for this client.")
  }

  static func commandRefused(by endpoint: String, _ topic: String, reasonCode: UInt8) -> Self {
    let isNotAuthorized = reasonCode == UInt8(MQTT_RC_NOT_AUTHORIZED.rawValue)
    return Self(
      isNotAuthorized ? .denied : .backendUnavailable,
      "The broker at \(endpoint) refuses the command to \(String(printable: topic, limit: 200)) "
        + "(\(reasonText(reasonCode))). Check its rules for this client.",
      cause: isNotAuthorized
        ? BrokerRefusal.notAuthorized(topic: topic) : .other(reasonCode: reasonCode))
  }

  static func publicationRefused(
    by endpoint: String, _ topic: String, reasonCode: UInt8, forGood: Bool
  ) -> Self {
    let isNotAuthorized = reasonCode == UInt8(MQTT_RC_NOT_AUTHORIZED.rawValue)
    let consequence =
      forGood
      ? "One was dropped, which it will never accept."
      : "They wait and are sent again. Check its rules for this client."
    return Self(
      forGood ? .invalidValue : isNotAuthorized ? .denied : .backendUnavailable,
      "The broker at \(endpoint) refuses publications to \(String(printable: topic, limit: 200)) "
        + "(\(reasonText(reasonCode))). \(consequence)",
      cause: isNotAuthorized
        ? BrokerRefusal.notAuthorized(topic: topic) : .other(reasonCode: reasonCode))
  }

  static func publicationImpossible(
    to endpoint: String, _ topic: String, _ failure: MosquittoClient.Failure
  ) -> Self {
    Self(
      .invalidValue,
      "The broker at \(endpoint) accepts no such publication to "
        + "\(String(printable: topic, limit: 200)) "
        + "(\(unsafe String(cString: mosquitto_strerror(failure.status)))).", cause: failure)
  }

  static func reasonText(_ reasonCode: UInt8) -> String {
    unsafe String(cString: mosquitto_reason_string(Int32(reasonCode)))
  }

  /// The error for a failed call to libmosquitto.
  static func broken(
    _ endpoint: String, _ failure: MosquittoClient.Failure, certificate: CertificateProblem?,
    isEstablished: Bool
  ) -> Self {
    let server = "The broker at \(endpoint)"
    if let certificate {
      switch certificate.kind {
      case .expired, .notYetValid:
        // Renewing the certificate or setting this machine's clock resolves the error.
        return Self(
          .backendUnavailable,
          "The certificate of the broker at \(endpoint) is refused: \(certificate.text). Renew it, "
            + "or check this machine's clock.", cause: BrokerRefusal.certificateExpired)
      case .wrongName, .revoked, .untrusted:
        return Self(
          .serverUntrusted,
          "The certificate of the broker at \(endpoint) is refused: \(certificate.text). "
            + BrokerAdvice.checkAuthority, cause: BrokerRefusal.certificateUntrusted)
      }
    }
    switch failure.status {
    case Int32(MOSQ_ERR_KEEPALIVE.rawValue): return brokerSilent(endpoint)
    case Int32(MOSQ_ERR_TLS.rawValue), Int32(MOSQ_ERR_TLS_HANDSHAKE.rawValue):
      return handshake(server, failure)
    case Int32(MOSQ_ERR_PROTOCOL.rawValue), Int32(MOSQ_ERR_MALFORMED_PACKET.rawValue):
      if !isEstablished { return noBroker(endpoint) }
    default: break
    }
    if failure.detail?.contains("OpenSSL") == true { return handshake(server, failure) }
    let reason =
      failure.errno != 0 && failure.errno != EAGAIN
      ? unsafe String(cString: strerror(failure.errno))
      : unsafe String(cString: mosquitto_strerror(failure.status))
    return Self(
      .connectionLost,
      isEstablished
        ? "The connection to the broker at \(endpoint) broke (\(reason))."
        : "\(server) closed the connection before it accepted it (\(reason)). Check the port and "
          + "whether it expects TLS.", cause: failure)
  }

  /// The reason in an error line of OpenSSL, such as `error:0A000126:SSL routines::unexpected eof`,
  /// without the codes and function names before it.
  static func openSSLReason(_ line: String) -> String {
    line.ranges(of: "::").last.map { String(line[$0.upperBound...]) } ?? line
  }

  private static func handshake(_ server: String, _ failure: MosquittoClient.Failure) -> Self {
    if failure.detail?.contains("alert certificate required") == true {
      return Self(
        .credentialsRefused,
        "\(server) requires a certificate of this client. \(BrokerAdvice.setCertificate)",
        cause: BrokerRefusal.handshake)
    }
    let reason = failure.detail.map(openSSLReason)
    let detail = reason.map { " (\(String(printable: $0, limit: 160)))" } ?? ""
    return Self(
      .backendUnavailable,
      "TLS with \(server.lowercasedFirst) failed\(detail). Check whether the port speaks TLS, and "
        + "whether the broker accepts the certificate of this client, or asks for one.",
      cause: BrokerRefusal.handshake)
  }
}

extension String {
  var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
