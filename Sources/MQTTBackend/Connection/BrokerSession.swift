import AsyncLocation
import CMosquittoShims
import CTransportShims
import Glibc
import LocationTransport

/// A run of connections to a broker: performs the actions of ``BrokerLink``. Confined to the event
/// loop's thread.
final class BrokerSession: Session {
  /// The values of a connection that may come from files or the environment.
  struct Preparation: Sendable {
    var options: BrokerOptions
    var security: TransportSecurity?
  }

  /// The progress of a connection attempt.
  private enum Stage: Comparable {
    /// No byte has arrived.
    case closed
    /// The first byte has arrived.
    case answered
    /// The broker has accepted this client.
    case open
    /// The handler was notified.
    case announced
  }

  /// The maximum number of packets that are read before other connections are served.
  private static let packetsPerEvent = 256

  let transport: any Transport
  let outlet: BrokerOutlet
  var state: SessionState<BrokerLink>
  private let loop: EventLoop
  private let configuration: MQTTConfiguration
  /// Reads files and the environment. Blocks.
  private let prepare: @Sendable () throws(LocationError) -> Preparation
  private let handler: any BrokerHandler

  private var preparation: Preparation?
  private let lookups = NodeLookups()
  /// The address that was opened last.
  private var address: SocketAddress?
  private var client: MosquittoClient?
  private var watch: DescriptorWatch?
  private var subscriptions: SubscriptionStateMachine
  /// The subscriptions that this connection requests.
  private var requests: [BrokerOptions.Subscription] = []
  private var isPreparing = false
  private var stage = Stage.closed
  /// Identifies the current connection attempt; failures of earlier ones are ignored.
  private var attempt: UInt64 = 0
  private var resumesSession = false
  private(set) var limits = BrokerLimits()

  init(
    _ configuration: MQTTConfiguration, loop: EventLoop, usesGroup: Bool, outlastsRefusals: Bool,
    handler: any BrokerHandler,
    generator: sending any RandomNumberGenerator,
    prepare: @escaping @Sendable () throws(LocationError) -> Preparation
  ) {
    self.configuration = configuration
    (self.loop, transport) = (loop, loop)
    self.handler = handler
    self.prepare = prepare
    outlet = BrokerOutlet(handler)
    let attempts = configuration.reconnection.delays.map { $0.attempts ?? .max } ?? 1
    subscriptions = SubscriptionStateMachine(reconnects: attempts > 1)
    state = SessionState(
      BrokerLink(
        BrokerLink.Configuration(
          endpoint: configuration.endpoint, reconnection: configuration.reconnection,
          connectTimeout: configuration.connectTimeout, keepAlive: configuration.keepAlive,
          // A group needs MQTT 5. A broker that closes for another reason must not end its run.
          versions: configuration.version.choices,
          hasSeveralNodes: !configuration.alternatives.isEmpty, takesClosureAsRefusal: !usesGroup,
          outlastsRefusals: outlastsRefusals)),
      generator: generator)
  }

  func perform(_ action: BrokerLink.Action) {
    switch action {
    case .prepare: beginPreparation()
    case .resolve:
      let limit = configuration.connectTimeout / 2
      lookups.begin(configuration.addresses, limit: limit, transport) { [self] result in
        switch result {
        case .success(let addresses): happened(.link(.resolved(addresses)))
        case .failure(let failure): happened(.link(.resolutionFailed(failure)))
        }
      }
    case .open(let address, let version): open(address, version)
    case .subscribe:
      let requests = requests
      attemptCall { client throws(MosquittoClient.Failure) in
        let identifiers = try client.subscribe(to: requests)
        self.subscriptions.requested(
          Dictionary(zip(identifiers, requests), uniquingKeysWith: { $1 }))
      }
    case .announce:
      stage = .announced
      handler.connected(self, resumesSession: resumesSession)
    case .keepAlive:
      attemptCall { client throws(MosquittoClient.Failure) in try client.keepAlive() }
    case .disconnect:
      if handler.maySendUnsent { client?.disconnect() } else { discardUnsent() }
    }
  }

  func close() {
    attempt += 1
    lookups.cancel(transport)
    watch?.stop()
    watch = nil
    // The caller may be a callback of the client. The client must not be destroyed before the
    // callback returns.
    if let client { soon { withExtendedLifetime(client) {} } }
    client = nil
    subscriptions.ended()
    let wasAnnounced = stage == .announced
    stage = .closed
    if wasAnnounced { handler.disconnected() }
  }
}

// MARK: - Connecting

extension BrokerSession {
  /// The URL of the broker, for error messages; with several nodes, that of the node in use.
  private var endpoint: String {
    guard !configuration.alternatives.isEmpty, let node = address?.text else {
      return configuration.endpoint
    }
    return MQTTConfiguration(
      host: node.host, port: Int(node.port), tls: configuration.tls
    ).endpoint
  }

  private func beginPreparation() {
    preparation = nil
    // If an earlier attempt's files are still being read, their content is used.
    guard !isPreparing else { return }
    isPreparing = true
    let prepare = prepare
    guard configuration.needsFiles else {
      let result = Result { () throws(LocationError) in try prepare() }
      return soon { self.prepared(result) }
    }
    // SAFETY: other threads only forward the reference; only the transport's thread uses the
    // session.
    nonisolated(unsafe) let session = self
    let transport = transport
    let code = NamedThread.start("location-files") {
      let result = Result { () throws(LocationError) in try prepare() }
      transport.submit { unsafe session.prepared(result) }
    }
    guard let code else { return }
    soon {
      self.prepared(
        .failure(.cannotConnect(toBroker: self.endpoint, .system(errno: code))))
    }
  }

  private func prepared(_ result: Result<Preparation, LocationError>) {
    isPreparing = false
    switch result {
    case .success(let preparation):
      self.preparation = preparation
      happened(.link(.prepared))
    case .failure(let error): happened(.link(.preparationFailed(error)))
    }
  }

  private func open(_ address: SocketAddress, _ version: BrokerOptions.Version) {
    preparation?.options.version = version
    self.address = address
    guard let preparation else { return }
    do throws(MosquittoClient.Failure) {
      let client = try MosquittoClient(
        preparation.options, security: preparation.security, delegate: self)
      let descriptor = try client.connect(to: address)
      self.client = client
      switch loop.watch(descriptor, writing: true, handler: self) {
      case .success(let watch): self.watch = watch
      case .failure(let failure):
        breakConnection(.cannotConnect(toBroker: endpoint, failure))
      }
    } catch {
      // The system may refuse a connection immediately, as on the loopback interface.
      breakConnection(
        error.errno != 0 && error.status == Int32(MOSQ_ERR_ERRNO.rawValue)
          ? .cannotConnect(toBroker: endpoint, .system(errno: error.errno))
          : self.error(error))
    }
  }

  /// Reports a failure after the current event, since the caller may be performing an action.
  private func breakConnection(_ error: LocationError) {
    // Stopped immediately: the watch's duplicate descriptor keeps a connection open that
    // libmosquitto has closed.
    watch?.stop()
    watch = nil
    let attempt = attempt
    soon { if attempt == self.attempt { self.happened(.link(.broke(error))) } }
  }

  /// Calls a closure after the current event.
  private func soon(_ action: @escaping () -> Void) {
    _ = transport.arm(at: transport.now(), action)
  }

  private func error(_ failure: MosquittoClient.Failure) -> LocationError {
    .broken(
      endpoint, failure, certificate: preparation?.security?.certificateProblem,
      isEstablished: stage >= .open)
  }
}

// MARK: - The socket

extension BrokerSession: DescriptorHandler {
  func descriptorIsReady(readable: Bool, writable: Bool, isClosed: Bool) {
    guard let client else { return }
    // A server sends the reason just before it closes the connection. The reason is read first,
    // since a write would only fail.
    let readable = readable || stage < .open && hasUnreadBytes
    if stage < .open, let failure = failureOfOpening(readable: readable) {
      return happened(.link(.broke(failure)))
    }
    do throws(MosquittoClient.Failure) {
      if readable { try client.read(limit: Self.packetsPerEvent) }
      if writable, self.client === client { try client.write() }
      // libmosquitto continues a handshake on a closed connection forever.
      if isClosed, self.client === client, !hasUnreadBytes {
        throw MosquittoClient.Failure(status: Int32(MOSQ_ERR_CONN_LOST.rawValue))
      }
      updateInterest()
    } catch {
      // A callback may have ended the connection already, because of a refusal.
      if self.client === client { decide(.link(.broke(self.error(error)))) }
    }
    handler.flush()
    outlet.flush()
  }

  /// Why the connection cannot be established; nil if it still can.
  private func failureOfOpening(readable: Bool) -> LocationError? {
    guard let watch else { return nil }
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    let status = unsafe getsockopt(watch.descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
    if status != 0 { code = errno }
    switch code {
    case 0: break
    case ECONNRESET, EPIPE:  // Closed by the server after it had accepted the TCP connection.
      // The unread bytes may be a TLS alert, which states the reason; libmosquitto reads it.
      if preparation?.security != nil, hasUnreadBytes { break }
      return error(
        MosquittoClient.Failure(status: Int32(MOSQ_ERR_CONN_LOST.rawValue), errno: code))
    default: return .cannotConnect(toBroker: endpoint, .system(errno: code))
    }
    guard readable, stage == .closed, preparation?.security == nil else { return nil }
    // Otherwise, libmosquitto would interpret the bytes of another protocol as a long packet, and
    // wait for the rest of it.
    guard let first = nextByte else { return nil }
    stage = .answered
    return [CMD_CONNACK, CMD_DISCONNECT, CMD_AUTH].contains(UInt32(first))
      ? nil : .noBroker(endpoint)
  }

  private var hasUnreadBytes: Bool { nextByte != nil }

  /// The first unread byte; nil if there is none.
  private var nextByte: UInt8? {
    guard let watch else { return nil }
    var byte: UInt8 = 0
    return unsafe recv(watch.descriptor, &byte, 1, Int32(MSG_PEEK)) == 1 ? byte : nil
  }

  private func updateInterest() {
    guard let client, let watch else { return }
    if let code = watch.setWriting(client.wantsWriting) {
      decide(.link(.broke(.cannotConnect(toBroker: endpoint, .system(errno: code)))))
    }
  }

  /// Calls the client, if there is one. A failure ends the connection after the current event.
  private func attemptCall(
    _ call: (MosquittoClient) throws(MosquittoClient.Failure) -> Void
  ) {
    guard let client else { return }
    do throws(MosquittoClient.Failure) {
      try call(client)
      updateInterest()
    } catch {
      breakConnection(self.error(error))
    }
  }
}

// MARK: - Callbacks

extension BrokerSession: MosquittoClientDelegate {
  func accepted(reasonCode: UInt8, resumesSession: Bool, limits: BrokerLimits) {
    var reasonCode = reasonCode
    if reasonCode == 0, limits.maximumQuality == 0, handler.needsAcknowledgements {
      reasonCode = UInt8(MQTT_RC_QOS_NOT_SUPPORTED.rawValue)
    }
    guard reasonCode == 0 else {
      return decide(
        .link(
          .refused(
            .refused(
              by: endpoint, reasonCode: reasonCode,
              hasUser: preparation?.options.user != nil))))
    }
    guard stage < .open else { return }  // Only the first CONNACK of a connection counts.
    stage = .open
    if let options = preparation?.options, options.version == .mqtt311, options.usesGroup {
      return decide(.link(.refused(.noGroups(at: endpoint))))
    }
    let (resumes, requests) = subscriptions.accepted(
      preparation?.options.subscriptions ?? [], isPresent: resumesSession,
      preparation?.options.version ?? .mqtt5)
    (self.resumesSession, self.requests) = (resumes, requests)
    let former = resumesSession ? preparation?.options.formerFilters ?? [] : []
    attemptCall { client throws(MosquittoClient.Failure) in try client.unsubscribe(from: former) }
    self.limits = limits
    decide(.link(.accepted(subscribes: !requests.isEmpty)))
  }

  func subscribed(_ identifier: Int32, reasonCodes: [UInt8]) {
    switch subscriptions.answered(identifier, reasonCodes: reasonCodes) {
    case .incomplete: break
    case .refused(let filter, let code):
      decide(
        .link(.refused(.subscriptionRefused(by: endpoint, filter: filter, reasonCode: code))))
    case .complete(let downgrade):
      let problem = downgrade.map { downgrade in
        LocationError.subscriptionDowngraded(
          by: endpoint, filter: downgrade.filter, quality: downgrade.quality)
      }
      decide(.link(.subscribed(problem: problem)))
    }
  }

  func received(topic: Span<UInt8>, payload: Span<UInt8>, isRetained: Bool) {
    // A message about the broker itself does not confirm the other subscriptions.
    if stage < .announced, !BrokerDrops.isTopic(topic) { decide(.link(.delivered)) }
    guard client != nil else { return }
    handler.received(topic: topic, payload: payload, isRetained: isRetained)
  }

  func acknowledged(_ publication: PublicationID, reasonCode: UInt8) {
    guard stage == .announced else { return }
    decide(.link(.acknowledged(publication)))
    handler.acknowledged(
      publication, refusal: reasonCode < 0x80 ? nil : PublicationRefusal(reasonCode: reasonCode))
  }

  func ended(reasonCode: UInt8) {
    decide(.link(.broke(.ended(by: endpoint, reasonCode: reasonCode))))
  }
}

// MARK: - Publishing

extension BrokerSession: BrokerChannel {
  var submit: @Sendable (@escaping @Sendable () -> Void) -> Void {
    { [transport] in transport.submit($0) }
  }

  func publish(_ payload: [UInt8], to topic: String, retained: Bool) -> PublicationOutcome {
    guard let client, stage == .announced else { return .broken }
    do throws(MosquittoClient.Failure) {
      let publication = try client.publish(payload, to: topic, retained: retained)
      decide(.link(.published(publication)))
      updateInterest()
      return .sent(publication)
    } catch {
      if error.isOfMessage {
        return .refused(.publicationImpossible(to: endpoint, topic, error))
      }
      breakConnection(self.error(error))
      return .broken
    }
  }

  func drop(reconnects: Bool) {
    discardUnsent()
    decide(.link(.dropped(reconnects: reconnects)))
  }

  /// Makes the system discard unsent data when the socket is closed, and reset the connection.
  private func discardUnsent() {
    guard let watch else { return }
    var option = linger(l_onoff: 1, l_linger: 0)
    _ = unsafe setsockopt(
      watch.descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }
}
