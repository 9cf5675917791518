/// Limits how many messages are decoded that a fleet has no use for. Pure.
///
/// Topics share buckets by their hash, which no sender can choose. So what floods some topics seldom
/// keeps the messages of another one away, and all topics together have a limit, too. Who floods
/// thousands of topics keeps others away: the rules of the broker must keep such a client out.
struct SharedBuckets: Sendable {
  static let bucketCount = 1_024
  /// Of each bucket.
  static let rate = TokenBucket.Rate(perSecond: 1, burst: 16)

  private var buckets = [TokenBucket](repeating: TokenBucket(), count: bucketCount)

  /// Whether there is a token for a topic.
  func hasToken(_ hash: UInt32, at now: Int64) -> Bool {
    buckets[Self.bucket(hash)].hasToken(at: now, Self.rate)
  }

  /// Takes a token for a topic; returns false if there is none.
  @discardableResult
  mutating func take(_ hash: UInt32, at now: Int64) -> Bool {
    buckets[Self.bucket(hash)].take(at: now, Self.rate)
  }

  private static func bucket(_ hash: UInt32) -> Int { Int(hash) % bucketCount }
}
