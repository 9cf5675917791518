import AsyncLocation

/// Counts the messages that a broker reports as dropped because the queue of a client was full.
///
/// Mosquitto publishes the number since its start every `sys_interval`, by default ten seconds:
/// mosquitto(8), "Broker Status".
struct BrokerDrops: Sendable {
  static let topic = "$SYS/broker/publish/messages/dropped"

  /// The number in the last message of the topic.
  private var last: UInt64?

  static func isTopic(_ topic: Span<UInt8>) -> Bool {
    guard topic.count == Self.topic.utf8.count else { return false }
    return zip(topic.indices, Self.topic.utf8).allSatisfy { topic[$0] == $1 }
  }

  /// Handles a message of the topic.
  ///
  /// - Returns: The number of messages dropped since the previous message of the topic; 0 for the
  ///   first one, whose number includes the drops before the connection.
  mutating func take(_ payload: Span<UInt8>) -> UInt64 {
    guard (1...20).contains(payload.count),
      let number = UInt64(String(decoding: payload.indices.map { payload[$0] }, as: UTF8.self))
    else { return 0 }
    guard let last = exchange(&last, with: number) else { return 0 }
    // A restarted broker counts from zero.
    return number >= last ? number - last : number
  }
}
