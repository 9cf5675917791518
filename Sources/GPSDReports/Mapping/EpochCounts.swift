/// Estimates the number of reports per epoch of one receiver from its recent epochs.
struct EpochCounts: Hashable, Sendable {
  /// The number of epochs whose counts are remembered.
  static let rememberedEpochs = 8
  /// The largest count stored for an epoch, in four bits; larger counts are stored as this one.
  static let maximumCount = 15

  /// The number of reports that complete an epoch: 1 until the last epoch and one of the two before
  /// it had more than one report. Then it is the maximum of the remembered epochs, until two
  /// consecutive epochs had one report each.
  private(set) var expected = 1
  /// Four bits for each epoch, the last one in the lowest bits; 0 for none.
  private var recent: UInt32 = 0

  /// Whether one report is expected and neither of the last two epochs had more, so that another
  /// epoch with one report does not change ``expected``.
  var isSteady: Bool { expected == 1 && self[0] <= 1 && self[1] <= 1 }

  /// Stores the number of reports of an epoch that has ended.
  mutating func append(_ count: Int) {
    recent = recent << 4 | UInt32(min(max(count, 1), Self.maximumCount))
    let (last, second, third) = (self[0], self[1], self[2])
    if last == 1, second <= 1 {
      expected = 1
      // Discard the epochs before these two.
      recent &= 0xFF
    } else if expected > 1 || last > 1 && (second > 1 || third > 1) {
      expected = (0..<Self.rememberedEpochs).reduce(1) { max($0, self[$1]) }
    }
  }

  /// The count of an epoch; index 0 is the last one.
  private subscript(_ index: Int) -> Int { Int(recent >> UInt32(4 * index) & 0xF) }
}
