import AsyncLocation

/// Handles the events of a connection to a broker, on the thread of its transport.
protocol BrokerHandler: AnyObject {
  /// The connection is ready: the broker accepted it and confirmed its subscriptions, or delivered
  /// a message before it confirmed them.
  ///
  /// - Parameters:
  ///   - channel: The channel for publishing, valid until ``disconnected()``.
  ///   - resumesSession: Whether the session of an earlier connection is resumed without a loss of
  ///     messages.
  func connected(_ channel: any BrokerChannel, resumesSession: Bool)
  /// A message arrived. The bytes are valid during the call.
  func received(topic: Span<UInt8>, payload: Span<UInt8>, isRetained: Bool)
  /// The broker acknowledged a publication of this connection, or refused it.
  func acknowledged(_ publication: PublicationID, refusal: PublicationRefusal?)
  /// The connection ended; no acknowledgement follows.
  func disconnected()
  /// The state of the connection changed.
  func changed(_ state: ConnectionState)
  /// All packets of one read were handled. More may be waiting.
  func flush()
  /// Whether unsent publications may still be sent when the run ends.
  var maySendUnsent: Bool { get }
  /// Whether the handler publishes and needs acknowledgements. A broker that acknowledges no
  /// publications is then refused.
  var needsAcknowledgements: Bool { get }
}

extension BrokerHandler {
  var maySendUnsent: Bool { true }
  var needsAcknowledgements: Bool { false }
}

/// Publishes over an open connection to a broker, on the thread of its transport.
protocol BrokerChannel: AnyObject {
  /// Sends a message with QoS 1.
  func publish(_ payload: [UInt8], to topic: String, retained: Bool) -> PublicationOutcome
  /// The limits that the broker announced.
  var limits: BrokerLimits { get }
  /// Ends the connection and discards unsent publications.
  ///
  /// - Parameter reconnects: Whether another connection follows.
  func drop(reconnects: Bool)
  /// Calls a closure on the transport's thread, from any thread.
  var submit: @Sendable (@escaping @Sendable () -> Void) -> Void { get }
}

/// The limits that a broker announces in CONNACK. The initial values are the defaults of MQTT 5,
/// section 3.2.2.3. The maximum of topic aliases is ignored, since none are sent. The client
/// library enforces the maximum packet size.
struct BrokerLimits: Hashable, Sendable {
  /// The maximum number of unacknowledged publications. The client library queues further ones and
  /// sends them later, even if they are obsolete by then.
  var receiveMaximum = UInt16.max
  /// The maximum QoS; 0 if the broker acknowledges no publications.
  var maximumQuality: UInt8 = 2
  /// Whether the broker supports retained messages.
  var keepsRetained = true
}

/// The outcome of a call of ``BrokerChannel/publish(_:to:retained:)``.
enum PublicationOutcome: Sendable {
  /// The acknowledgement or the end of the connection follows.
  case sent(PublicationID)
  /// The broker or the client library does not accept the message.
  case refused(LocationError)
  /// The connection is broken; it ends soon.
  case broken
}

/// Identifies a publication of one connection.
struct PublicationID: Hashable, Sendable {
  let rawValue: Int32
}

/// Why a broker refused a publication.
struct PublicationRefusal: Hashable, Sendable {
  /// The reason code of MQTT 5, 0x80...0xFF.
  let reasonCode: UInt8
}
