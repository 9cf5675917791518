/// Learns how many reports an epoch of a receiver has from the last epochs.
struct EpochCounts: Hashable, Sendable {
  /// How many epochs are remembered, and how many reports of one are told apart.
  static let memory = 8
  static let limit = 15

  /// How many reports complete an epoch: one, until two of three epochs had more; then the most of
  /// the epochs that are remembered, until two in a row had one.
  private(set) var expected = 1
  /// Four bits an epoch, the last one lowest; 0 for none.
  private var recent: UInt32 = 0

  /// Whether the last epochs had one report each, so that one more of these teaches nothing.
  var isSteady: Bool { expected == 1 && self[0] <= 1 && self[1] <= 1 }

  mutating func append(_ count: Int) {
    recent = recent << 4 | UInt32(min(max(count, 1), Self.limit))
    let (last, second, third) = (self[0], self[1], self[2])
    if last == 1, second <= 1 {
      expected = 1
      // What was before is over.
      recent &= 0xFF
    } else if expected > 1 || last > 1 && (second > 1 || third > 1) {
      expected = (0..<Self.memory).reduce(1) { max($0, self[$1]) }
    }
  }

  /// The count of an epoch; 0 is the last one's.
  private subscript(_ index: Int) -> Int { Int(recent >> UInt32(4 * index) & 0xF) }
}
