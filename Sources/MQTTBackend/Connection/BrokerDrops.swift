import AsyncLocation

/// Counts the messages that a broker reports as dropped, for any of its clients, since their queues
/// were full.
///
/// Mosquitto publishes the number since its start, every ten seconds unless `sys_interval` is another:
/// mosquitto(8), "Broker Status".
struct BrokerDrops: Sendable {
  static let topic = "$SYS/broker/publish/messages/dropped"

  private var last: UInt64?

  static func isTopic(_ topic: Span<UInt8>) -> Bool {
    guard topic.count == Self.topic.utf8.count else { return false }
    return zip(topic.indices, Self.topic.utf8).allSatisfy { topic[$0] == $1 }
  }

  /// Takes a message of the topic.
  ///
  /// - Returns: How many messages were dropped since the one before; 0 for the first one, which
  ///   counts the drops before the connection.
  mutating func take(_ payload: Span<UInt8>) -> UInt64 {
    guard (1...20).contains(payload.count),
      let number = UInt64(String(decoding: payload.indices.map { payload[$0] }, as: UTF8.self))
    else { return 0 }
    guard let last = exchange(&last, with: number) else { return 0 }
    // A broker that was started again counts from zero.
    return number >= last ? number - last : number
  }
}
