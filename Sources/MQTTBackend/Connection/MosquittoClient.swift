import CMosquittoShims
import CTransportShims
import Glibc
import LocationTransport

/// Receives the callbacks of libmosquitto, during a call of the client.
protocol MosquittoClientDelegate: AnyObject {
  /// The broker accepted or refused the connection.
  ///
  /// - Parameters:
  ///   - reasonCode: 0 if the broker accepts the connection, otherwise the reason for its refusal.
  ///   - limits: The limits that the broker announced.
  func accepted(reasonCode: UInt8, resumesSession: Bool, limits: BrokerLimits)
  /// The broker answered a subscription request.
  ///
  /// - Parameters:
  ///   - identifier: The identifier of the request, as ``MosquittoClient/subscribe(to:)`` returned
  ///     it.
  ///   - reasonCodes: One for each filter of the subscription.
  func subscribed(_ identifier: Int32, reasonCodes: [UInt8])
  func received(topic: Span<UInt8>, payload: Span<UInt8>, isRetained: Bool)
  func acknowledged(_ publication: PublicationID, reasonCode: UInt8)
  /// The broker ended the connection with a reason.
  func ended(reasonCode: UInt8)
}

/// One connection of libmosquitto, used once. Confined to its event loop's thread.
///
/// libmosquitto opens the socket and speaks MQTT; the loop watches the socket. Publications that
/// libmosquitto still queues are lost when the connection ends.
@safe final class MosquittoClient {
  /// A failed call: the status of libmosquitto, `errno`, and the last logged error.
  struct Failure: Error, Hashable, Sendable {
    var status: Int32
    var errno: Int32 = 0
    /// The last error that libmosquitto logged, usually one of OpenSSL; nil if there is none.
    var detail: String?

    /// Whether the message caused the failure, not the connection.
    var isOfMessage: Bool {
      [
        MOSQ_ERR_INVAL, MOSQ_ERR_PAYLOAD_SIZE, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_OVERSIZE_PACKET,
        MOSQ_ERR_QOS_NOT_SUPPORTED, MOSQ_ERR_RETAIN_NOT_SUPPORTED,
      ].contains { $0.rawValue == status }
    }
  }

  // SAFETY: created by init, destroyed by deinit, and never destroyed during one of its callbacks,
  // since the caller of the client's methods retains it.
  private let raw: OpaquePointer
  private let options: BrokerOptions
  private let security: TransportSecurity?
  private weak var delegate: (any MosquittoClientDelegate)?
  private var errorLine: String?
  /// Whether a message arrived with QoS 2, which no subscription requests. libmosquitto would store
  /// any number of such messages until the broker releases them.
  private var hasUnrequestedQuality = false

  init(
    _ options: BrokerOptions, security: TransportSecurity?,
    delegate: any MosquittoClientDelegate
  ) throws(Failure) {
    MosquittoLibrary.initialize()
    guard let raw = unsafe mosquitto_new(options.clientIdentifier, !options.hasSession, nil) else {
      throw Failure(status: Int32(MOSQ_ERR_NOMEM.rawValue), errno: errno)
    }
    unsafe self.raw = raw
    self.options = options
    self.security = security
    self.delegate = delegate
    try configure()
  }

  deinit { unsafe mosquitto_destroy(raw) }

  private func configure() throws(Failure) {
    unsafe mosquitto_user_data_set(raw, Unmanaged.passUnretained(self).toOpaque())
    try check(
      unsafe mosquitto_int_option(
        raw, MOSQ_OPT_PROTOCOL_VERSION,
        Int32(options.version == .mqtt5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311)))
    try check(unsafe mosquitto_int_option(raw, MOSQ_OPT_TCP_NODELAY, 1))
    try check(
      unsafe mosquitto_int_option(raw, MOSQ_OPT_SEND_MAXIMUM, Int32(clamping: options.window)))
    // The highest value: the loop handles each message immediately, so none waits for its
    // acknowledgement.
    try check(unsafe mosquitto_int_option(raw, MOSQ_OPT_RECEIVE_MAXIMUM, 65_535))
    if let user = options.user {
      try check(unsafe mosquitto_username_pw_set(raw, user, options.password))
    }
    if let will = options.will {
      try check(
        unsafe mosquitto_will_set_v5(
          raw, will.topic, Int32(will.payload.count), will.payload, 1, false, nil))
    }
    if let security { try check(unsafe security.apply(to: raw)) }
    setCallbacks()
  }

  private func check(_ status: Int32) throws(Failure) {
    guard status == 0 else { throw failure(status) }
  }

  private func failure(_ status: Int32) -> Failure {
    Failure(status: status, errno: errno, detail: errorLine)
  }
}

// MARK: - Calls

extension MosquittoClient {
  /// Begins to connect. Returns the socket, which must first be watched for writing.
  func connect(to address: SocketAddress) throws(Failure) -> Int32 {
    guard let (host, port) = address.text else {
      throw Failure(status: Int32(MOSQ_ERR_INVAL.rawValue))
    }
    if options.version == .mqtt5 { try setConnectProperties() }
    let seconds = Int32(clamping: options.keepAlive.components.seconds)
    errno = 0
    try check(unsafe mosquitto_connect_async(raw, host, port, max(5, seconds)))
    // With TLS, libmosquitto has begun the handshake and does not report a refused connection.
    if errno == ECONNREFUSED { throw failure(Int32(MOSQ_ERR_ERRNO.rawValue)) }
    let descriptor = unsafe mosquitto_socket(raw)
    guard descriptor >= 0 else { throw failure(Int32(MOSQ_ERR_NO_CONN.rawValue)) }
    // Otherwise, child processes inherit the socket.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }

  /// Sets the properties of CONNECT. libmosquitto accepts them only in a call that blocks until the
  /// connection is open. Without a host, that call stores them and returns immediately.
  private func setConnectProperties() throws(Failure) {
    var properties: OpaquePointer?
    defer { unsafe mosquitto_property_free_all(&properties) }
    let expiry = UInt32(clamping: options.sessionExpiry.components.seconds)
    if expiry > 0 {
      try check(
        unsafe mosquitto_property_add_int32(
          &properties, Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), expiry))
    }
    try check(
      unsafe mosquitto_property_add_int32(
        &properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue),
        UInt32(clamping: options.maximumPacketSize)))
    _ = unsafe mosquitto_connect_bind_v5(raw, nil, 1883, 60, nil, properties)
  }

  /// Handles at most `limit` packets that have arrived; the event loop reports the socket again if
  /// there are more.
  func read(limit: Int) throws(Failure) {
    for _ in 0..<limit {
      errno = 0
      let status = unsafe mosquitto_loop_read(raw, 1)
      if status != 0 { throw failure(status) }
      if hasUnrequestedQuality { throw failure(Int32(MOSQ_ERR_PROTOCOL.rawValue)) }
      if errno == EAGAIN { return }
    }
  }

  func write() throws(Failure) {
    errno = 0
    try check(unsafe mosquitto_loop_write(raw, 1))
  }

  /// Sends a ping if one is due, and throws if the last one was not answered in time.
  func keepAlive() throws(Failure) {
    errno = 0
    try check(unsafe mosquitto_loop_misc(raw))
  }

  /// Whether there are bytes to send once the socket is writable.
  var wantsWriting: Bool { unsafe mosquitto_want_write(raw) }

  /// Requests subscriptions. Returns the identifiers of the requests, in the order of the
  /// subscriptions.
  func subscribe(to subscriptions: [BrokerOptions.Subscription]) throws(Failure) -> [Int32] {
    var identifiers: [Int32] = []
    for subscription in subscriptions {
      // The option is not set for members of a group, who receive no retained messages, and MQTT
      // 3.1.1 does not have it.
      let isUnrestricted =
        subscription.wantsRetained || subscription.isOfGroup
        || options.version == .mqtt311
      let options = isUnrestricted ? 0 : Int32(MQTT_SUB_OPT_SEND_RETAIN_NEVER.rawValue)
      var identifier: Int32 = 0
      try check(
        unsafe mosquitto_subscribe_v5(
          raw, &identifier, subscription.filter, subscription.quality, options, nil))
      identifiers.append(identifier)
    }
    return identifiers
  }

  func unsubscribe(from filters: [String]) throws(Failure) {
    for filter in filters { try check(unsafe mosquitto_unsubscribe_v5(raw, nil, filter, nil)) }
  }

  func publish(
    _ payload: [UInt8], to topic: String, retained: Bool
  ) throws(Failure) -> PublicationID {
    var identifier: Int32 = 0
    try check(
      unsafe mosquitto_publish_v5(
        raw, &identifier, topic, Int32(payload.count), payload, 1, retained, nil))
    return PublicationID(rawValue: identifier)
  }

  /// Sends DISCONNECT. If there is a will, the reason code makes the broker publish it. MQTT 3.1.1
  /// has no reason codes, so the client publishes the will itself before DISCONNECT.
  func disconnect() {
    guard options.version == .mqtt5 else {
      if let will = options.will {
        _ = try? publish(will.payload, to: will.topic, retained: false)
      }
      _ = unsafe mosquitto_disconnect(raw)
      return
    }
    let reason = options.will == nil ? 0 : Int32(MQTT_RC_DISCONNECT_WITH_WILL_MSG.rawValue)
    var properties: OpaquePointer?
    defer { unsafe mosquitto_property_free_all(&properties) }
    if !options.keepsSession, options.sessionExpiry > .zero {
      _ = unsafe mosquitto_property_add_int32(
        &properties, Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), 0)
    }
    _ = unsafe mosquitto_disconnect_v5(raw, reason, properties)
  }
}

// MARK: - Callbacks

extension MosquittoClient {
  private func setCallbacks() {
    unsafe mosquitto_connect_v5_callback_set(raw) { _, context, code, flags, properties in
      var limits = BrokerLimits()
      _ = unsafe mosquitto_property_read_int16(
        properties, Int32(MQTT_PROP_RECEIVE_MAXIMUM.rawValue), &limits.receiveMaximum, false)
      _ = unsafe mosquitto_property_read_byte(
        properties, Int32(MQTT_PROP_MAXIMUM_QOS.rawValue), &limits.maximumQuality, false)
      var keepsRetained: UInt8 = 1
      _ = unsafe mosquitto_property_read_byte(
        properties, Int32(MQTT_PROP_RETAIN_AVAILABLE.rawValue), &keepsRetained, false)
      limits.keepsRetained = keepsRetained != 0
      unsafe MosquittoClient.from(context)?.accepted(
        reasonCode: UInt8(clamping: code), resumesSession: flags & 1 != 0, limits: limits)
    }
    unsafe mosquitto_subscribe_v5_callback_set(raw) { _, context, identifier, count, granted, _ in
      // SAFETY: libmosquitto passes an array of `count` reason codes, valid during the call.
      let codes = (0..<Int(count)).map { unsafe UInt8(clamping: granted![$0]) }
      unsafe MosquittoClient.from(context)?.subscribed(identifier, reasonCodes: codes)
    }
    unsafe mosquitto_message_v5_callback_set(raw) { _, context, message, _ in
      guard let message = unsafe message?.pointee, let topic = unsafe message.topic,
        let delegate = unsafe MosquittoClient.from(context)
      else { return }
      // SAFETY: the message's topic ends with NUL and its payload has `payloadlen` bytes; both are
      // valid during the call.
      let name = unsafe UnsafeRawBufferPointer(start: topic, count: strlen(topic))
        .bindMemory(to: UInt8.self)
      let bytes = unsafe UnsafeRawBufferPointer(
        start: message.payload, count: Int(message.payloadlen)
      ).bindMemory(to: UInt8.self)
      unsafe delegate.received(
        topic: name.span, payload: bytes.span, isRetained: message.retain)
    }
    unsafe mosquitto_publish_v5_callback_set(raw) { _, context, identifier, code, _ in
      unsafe MosquittoClient.from(context)?.acknowledged(
        PublicationID(rawValue: identifier), reasonCode: UInt8(clamping: code))
    }
    unsafe mosquitto_disconnect_v5_callback_set(raw) { _, context, code, _ in
      // Smaller values are statuses of libmosquitto, which the failed call returns, too.
      guard code >= 0x80 else { return }
      unsafe MosquittoClient.from(context)?.ended(reasonCode: UInt8(clamping: code))
    }
    unsafe mosquitto_log_callback_set(raw) { _, context, level, text in
      guard let text = unsafe text, let context = unsafe context else { return }
      let client = unsafe Unmanaged<MosquittoClient>.fromOpaque(context).takeUnretainedValue()
      if level & Int32(MOSQ_LOG_ERR) != 0 { client.errorLine = unsafe String(cString: text) }
      if unsafe MosquittoClient.isArrivalOfQuality2(text) { client.hasUnrequestedQuality = true }
    }
  }

  /// Whether a line of the log is "Client … received PUBLISH (d0, q2, …". libmosquitto does not
  /// report such a message by a callback before the broker releases it.
  private static func isArrivalOfQuality2(_ line: UnsafePointer<CChar>) -> Bool {
    let event = " received PUBLISH (d"
    // SAFETY: the line ends with NUL. So does the part that `strstr` finds, and `strncmp` stops
    // there.
    guard let found = unsafe strstr(line, event) else { return false }
    return unsafe strncmp(found + event.utf8.count + 1, ", q2,", 5) == 0
  }

  private static func from(
    _ context: UnsafeMutableRawPointer?
  ) -> (any MosquittoClientDelegate)? {
    guard let context = unsafe context else { return nil }
    // SAFETY: the context is the client, which is alive during its own calls.
    return unsafe Unmanaged<MosquittoClient>.fromOpaque(context).takeUnretainedValue().delegate
  }
}

/// libmosquitto's state for the process, initialized once and never released.
private enum MosquittoLibrary {
  private static let isInitialized: Bool = mosquitto_lib_init() == 0

  static func initialize() { _ = isInitialized }
}
