/// Limits how many useless messages a fleet decodes. Pure.
///
/// Topics share buckets by their hash, which no sender can choose. So a flood on some topics seldom
/// blocks the messages of another topic, and the total rate of all topics is limited, too. A client
/// that floods thousands of topics blocks others; the broker's rules must exclude such a client.
struct SharedBuckets: Sendable {
  static let bucketCount = 1_024
  /// The rate of each bucket.
  static let rate = TokenBucket.Rate(perSecond: 1, burst: 16)

  private var buckets = [TokenBucket](repeating: TokenBucket(), count: bucketCount)

  /// Whether there is a token for a topic.
  func hasToken(_ hash: UInt32, at now: Int64) -> Bool {
    buckets[Self.bucket(hash)].hasToken(at: now, Self.rate)
  }

  /// Takes a token for a topic; returns false if there is none.
  @discardableResult
  mutating func takeToken(_ hash: UInt32, at now: Int64) -> Bool {
    buckets[Self.bucket(hash)].takeToken(at: now, Self.rate)
  }

  private static func bucket(_ hash: UInt32) -> Int { Int(hash) % bucketCount }
}
