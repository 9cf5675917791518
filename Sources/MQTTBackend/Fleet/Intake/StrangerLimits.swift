/// Limits the messages under topics that name no known device. Each that makes no device known, such
/// as one that is malformed, takes a token; without a token, none is decoded. Pure.
///
/// Topics share buckets by their hash, which no sender can choose. So what floods some topics seldom
/// keeps a new device away, and all topics together have a limit, too. Who floods thousands of topics
/// delays new devices: the rules of the broker must keep such a client out.
struct StrangerLimits: Sendable {
  static let bucketCount = 1_024
  /// Of each bucket.
  static let rate = TokenBucket.Rate(perSecond: 1, burst: 16)

  private var buckets = [TokenBucket](repeating: TokenBucket(), count: bucketCount)

  /// Whether a message under a topic may be decoded.
  func admits(_ hash: UInt32, at now: Int64) -> Bool {
    buckets[Self.bucket(hash)].hasToken(at: now, Self.rate)
  }

  /// Counts a message that made no device known.
  mutating func count(_ hash: UInt32, at now: Int64) {
    _ = buckets[Self.bucket(hash)].take(at: now, Self.rate)
  }

  private static func bucket(_ hash: UInt32) -> Int { Int(hash) % bucketCount }
}
