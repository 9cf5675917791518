import AsyncLocation

@testable import MQTTBackend

enum RecordedEvent: Hashable, Sendable {
  case connected(resumesSession: Bool)
  case received(topic: String, payload: String, isRetained: Bool)
  case acknowledged(PublicationID, PublicationRefusal?)
  case disconnected
  case changed(ConnectionState)
}

/// Records the events of a connection.
final class RecordingHandler: BrokerHandler {
  let events: AsyncStream<RecordedEvent>
  private let continuation: AsyncStream<RecordedEvent>.Continuation
  /// Called after each connection was recorded.
  var onConnected: ((any BrokerChannel) -> Void)?

  init() {
    (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(100_000))
  }

  func connected(_ channel: any BrokerChannel, resumesSession: Bool) {
    continuation.yield(.connected(resumesSession: resumesSession))
    onConnected?(channel)
  }

  func received(topic: Span<UInt8>, payload: Span<UInt8>, isRetained: Bool) {
    continuation.yield(
      .received(topic: Self.text(topic), payload: Self.text(payload), isRetained: isRetained))
  }

  func acknowledged(_ publication: PublicationID, refusal: PublicationRefusal?) {
    continuation.yield(.acknowledged(publication, refusal))
  }

  func disconnected() { continuation.yield(.disconnected) }
  func changed(_ state: ConnectionState) { continuation.yield(.changed(state)) }
  func flush() {}

  private static func text(_ bytes: Span<UInt8>) -> String {
    String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
  }
}
