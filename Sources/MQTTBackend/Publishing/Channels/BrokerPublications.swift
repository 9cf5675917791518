import AsyncLocation
import CMosquittoShims
import LocationPublishing
import OwnTracks

/// Delivers publications to an MQTT broker.
struct BrokerPublications: PublicationChannel {
  let configuration: MQTTConfiguration
  let identifier: String

  /// - Parameter identifier: The client identifier unless the configuration has one.
  init(_ configuration: MQTTConfiguration, identifier: String) {
    self.configuration = configuration
    self.identifier = configuration.clientIdentifier ?? identifier
  }

  var endpoint: String { configuration.endpoint }
  var keepsRetained: Bool { true }
  var connectTimeout: Duration { configuration.connectTimeout }

  func validate(confirms: Bool) throws(LocationError) {
    try configuration.validate()
    guard confirms, configuration.maximumPacketSize < 1 << 17 else { return }
    throw LocationError(
      .invalidValue,
      "maximumPacketSize must be at least 131,072 with the confirmation stored, got "
        + "\(configuration.maximumPacketSize).")
  }

  func run(
    _ delivery: PublicationDelivery, will: (@Sendable () -> BrokerOptions.Message)?,
    window: Int,
    isPermitted: @escaping @Sendable () -> Bool
  ) async throws {
    // Pending publications are stored locally, so a session at the broker is not needed.
    var configuration = configuration
    configuration.sessionExpiry = .zero
    let run = try BrokerRun(
      configuration,
      BrokerRun.Role(
        // The delivery of the last removals has no confirmation topic, so it does not depend on the
        // broker's permission to subscribe.
        // A confirmation that is lost is requested again. So the broker needs no queue for each device,
        // which in a cluster is replicated.
        subscriptions: delivery.confirmationTopic.map {
          [BrokerOptions.Subscription(filter: $0, quality: 0)]
        } ?? [],
        will: will, window: window, outlastsRefusals: true),
      identifier: identifier,
      handler: PublicationHandler(delivery, endpoint: endpoint, isPermitted: isPermitted))
    try await run.run()
  }
}

/// Publishes over one connection after the other, on the thread of the transport.
private final class PublicationHandler: BrokerHandler {
  typealias ConnectionID = DeliveryStateMachine.ConnectionID

  private let delivery: PublicationDelivery
  private let endpoint: String
  private let isPermitted: @Sendable () -> Bool
  private var channel: (any BrokerChannel)?
  /// The number of connections so far. Calls for an earlier connection are ignored.
  private var connections = 0
  private var underWay: [PublicationID: (number: UInt64, topic: String, connection: ConnectionID)] =
    [:]

  init(
    _ delivery: PublicationDelivery, endpoint: String, isPermitted: @escaping @Sendable () -> Bool
  ) {
    (self.delivery, self.endpoint, self.isPermitted) = (delivery, endpoint, isPermitted)
  }

  func connected(_ channel: any BrokerChannel, resumesSession: Bool) {
    self.channel = channel
    connections += 1
    let number = connections
    // SAFETY: other threads only forward the reference; only the transport's thread uses the
    // handler.
    nonisolated(unsafe) let handler = self
    let submit = channel.submit
    delivery.opened(
      receiveMaximum: Int(channel.limits.receiveMaximum),
      transmit: { publications, connection in
        submit { unsafe handler.publish(publications, connection) }
      },
      drop: { reconnects in submit { unsafe handler.drop(number, reconnects) } })
  }

  /// Ends a connection on which publications are in flight. Without any, there is nothing to
  /// discard.
  private func drop(_ number: Int, _ reconnects: Bool) {
    guard number == connections, !underWay.isEmpty else { return }
    channel?.drop(reconnects: reconnects)
  }

  var maySendUnsent: Bool { isPermitted() }
  var needsAcknowledgements: Bool { true }

  private func publish(_ publications: [StoredPublication], _ connection: ConnectionID) {
    guard let channel else { return }
    for stored in publications {
      guard delivery.isCurrent(connection) else { return }
      guard isPermitted() else {
        return delivery.withheld(except: Set(underWay.values.map(\.number)), on: connection)
      }
      let publication = stored.publication
      if publication.isRetained, publication.payload.isEmpty, !channel.limits.keepsRetained {
        // The broker does not retain messages, so there is nothing to remove.
        delivery.acknowledged(stored.number, on: connection)
        continue
      }
      switch channel.publish(
        publication.payload, to: publication.topic, retained: publication.isRetained)
      {
      case .sent(let id): underWay[id] = (stored.number, publication.topic, connection)
      case .refused(let error): delivery.refusedForGood(stored.number, on: connection, error)
      case .broken: return
      }
    }
  }

  func acknowledged(_ publication: PublicationID, refusal: PublicationRefusal?) {
    guard let (number, topic, connection) = underWay.removeValue(forKey: publication) else {
      return
    }
    guard let refusal else { return delivery.acknowledged(number, on: connection) }
    let error = LocationError.publicationRefused(
      by: endpoint, topic, reasonCode: refusal.reasonCode, forGood: refusal.isPermanent)
    if refusal.isPermanent {
      delivery.refusedForGood(number, on: connection, error)
    } else {
      delivery.refused(number, on: connection, error)
    }
  }

  func disconnected() {
    channel = nil
    underWay = [:]
    delivery.closed()
  }

  func changed(_ state: ConnectionState) { delivery.changed(state) }

  /// Receives a confirmation: the run has no other subscription.
  func received(topic: Span<UInt8>, payload: Span<UInt8>, isRetained: Bool) {
    guard let stored = StoredTimes(payload) else { return }
    delivery.confirmed(stored, isRetained: isRetained)
  }

  func flush() {}
}

extension PublicationRefusal {
  /// Whether the broker will never accept this publication. A refusal by its rules for topics is
  /// temporary, since the rules may change.
  fileprivate var isPermanent: Bool {
    [
      MQTT_RC_PACKET_TOO_LARGE, MQTT_RC_PAYLOAD_FORMAT_INVALID, MQTT_RC_RETAIN_NOT_SUPPORTED,
    ].contains { $0.rawValue == UInt32(reasonCode) }
  }
}
