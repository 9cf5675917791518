/// Why a broker refused this client or was refused by it; the cause of a
/// ``/AsyncLocation/LocationError``.
@nonexhaustive
public enum BrokerRefusal: Error, Sendable, Hashable {
  /// The broker does not accept the user name and password, or requires them.
  case credentials
  /// The broker's rules do not allow this client, or the named topic or filter.
  case notAuthorized(topic: String?)
  /// The broker does not accept the client identifier.
  case clientIdentifier
  /// Another client connected with the identifier of this one, so the broker ended this connection.
  case takenOver
  /// The broker speaks no requested version of MQTT, or none that a requested feature needs; or the
  /// server is not a broker.
  case protocolVersion
  /// The broker's certificate has expired, or is not valid yet by this machine's clock.
  case certificateExpired
  /// The broker's certificate is not trusted, is revoked, or belongs to another server.
  case certificateUntrusted
  /// The broker requires a client certificate, or TLS failed for another reason.
  case handshake
  /// The broker refuses for another reason.
  case other(reasonCode: UInt8)
}
