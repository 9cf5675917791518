import AsyncLocation

/// Handles the events of a connection to a broker, on the thread of its transport.
protocol BrokerHandler: AnyObject {
  /// The broker accepted the connection and all subscriptions.
  ///
  /// - Parameters:
  ///   - channel: Publishes until ``disconnected()``.
  ///   - resumesSession: Whether the broker kept the session of an earlier connection.
  func connected(_ channel: any BrokerChannel, resumesSession: Bool)
  /// A message arrived. The bytes are valid during the call.
  func received(topic: Span<UInt8>, payload: Span<UInt8>, isRetained: Bool)
  /// The broker acknowledged a publication of this connection, or refused it.
  func acknowledged(_ publication: PublicationID, refusal: PublicationRefusal?)
  /// The connection ended; no acknowledgement follows.
  func disconnected()
  /// The state of the connection changed.
  func changed(_ state: ConnectionState)
  /// All messages that had arrived are handled.
  func flush()
  /// Whether what was published and is not sent yet may still leave when the run ends.
  var maySendUnsent: Bool { get }
  /// Whether it publishes. A broker that acknowledges nothing is then refused.
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
  /// Ends the connection and discards what was published and is not sent yet.
  ///
  /// - Parameter reconnects: Whether another connection follows.
  func drop(reconnects: Bool)
  /// Calls a closure on the transport's thread, from any thread.
  var submit: @Sendable (@escaping @Sendable () -> Void) -> Void { get }
}

/// The limits that a broker announces in CONNACK. Those that it does not name have these values: MQTT 5,
/// section 3.2.2.3. Topic aliases have no limit here, since none is sent; the client library obeys the
/// size of packets.
struct BrokerLimits: Hashable, Sendable {
  /// How many publications it takes before it has acknowledged the first of them. The client library
  /// keeps any more, and sends them later, whatever has happened meanwhile.
  var receiveMaximum = UInt16.max
  /// MQTT's QoS; 0 if it acknowledges no publication.
  var maximumQuality: UInt8 = 2
  /// Whether it keeps retained messages.
  var keepsRetained = true
}

/// The outcome of a call of ``BrokerChannel/publish(_:to:retained:)``.
enum PublicationOutcome: Sendable {
  /// The acknowledgement or the end of the connection follows.
  case sent(PublicationID)
  /// The broker accepts no such message.
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
