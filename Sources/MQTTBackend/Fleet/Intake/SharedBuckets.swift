/// Limits how many useless messages a fleet decodes. Pure.
///
/// Devices share buckets by the hash of their names, which is seeded, so that no sender can choose
/// it. So a flood of messages of some devices seldom blocks those of another device, and the total
/// rate of all devices is limited, too. A client that floods thousands of topics blocks others; the
/// broker's rules must exclude such a client.
struct SharedBuckets: Sendable {
  static let bucketCount = 1_024
  /// The rate of each bucket.
  static let rate = TokenBucket.Rate(perSecond: 1, burst: 16)

  private var buckets = [TokenBucket](repeating: TokenBucket(), count: bucketCount)

  /// Whether there is a token for the device whose name has a hash.
  func hasToken(_ hash: UInt32, at now: Int64) -> Bool {
    buckets[Self.bucket(hash)].hasToken(at: now, Self.rate)
  }

  /// Takes a token for the device whose name has a hash; returns false if there is none.
  @discardableResult
  mutating func takeToken(_ hash: UInt32, at now: Int64) -> Bool {
    buckets[Self.bucket(hash)].takeToken(at: now, Self.rate)
  }

  private static func bucket(_ hash: UInt32) -> Int { Int(hash) % bucketCount }
}
