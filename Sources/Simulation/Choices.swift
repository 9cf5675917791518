import MockBackend

/// The choices of a schedule, generated from a seed or given in advance, and recorded for a replay.
struct Choices {
  private var generator: SplitMix64
  /// The first choices; later ones are random or zero.
  private let given: [UInt8]
  private let isRandom: Bool
  private(set) var made: [UInt8] = []
  /// The number of alternatives of each choice, for an exhaustive search; empty unless requested.
  private(set) var widths: [UInt8] = []
  private let recordsWidths: Bool
  /// A hash of the choices and folded values that identifies the schedule.
  private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  init(seed: UInt64) {
    (generator, given, isRandom) = (SplitMix64(seed: seed), [], true)
    recordsWidths = false
    made.reserveCapacity(512)
  }

  /// Creates choices given in advance; every later choice is 0.
  init(given: [UInt8], recordsWidths: Bool = false) {
    (generator, self.given, isRandom) = (SplitMix64(seed: 0), given, false)
    self.recordsWidths = recordsWidths
  }

  /// Returns a choice in `0..<count`; `count` is at most 255. Without an alternative, returns 0 and
  /// records nothing.
  mutating func choose(_ count: Int) -> Int {
    guard count > 1 else { return 0 }
    let choice: Int
    if made.count < given.count {
      choice = min(Int(given[made.count]), count - 1)
    } else if isRandom {
      choice = generator.below(count)
    } else {
      choice = 0
    }
    note(choice, of: count)
    return choice
  }

  /// Returns true with probability 1 / `count` if choices are random. Otherwise the given choices
  /// decide, and the default is false.
  mutating func happens(onceIn count: Int) -> Bool {
    if made.count < given.count || !isRandom { return choose(2) == 1 }
    let isChosen = generator.below(count) == 0
    note(isChosen ? 1 : 0, of: 2)
    return isChosen
  }

  private mutating func note(_ choice: Int, of count: Int) {
    made.append(UInt8(choice))
    if recordsWidths { widths.append(UInt8(count)) }
    hash = (hash ^ UInt64(choice)) &* 0x100_0000_01b3
  }

  /// Includes a value in the hash.
  mutating func fold(_ value: UInt64) { hash = (hash ^ value) &* 0x100_0000_01b3 }
}

extension SplitMix64 {
  /// Returns a random number in `0..<count`.
  mutating func below(_ count: Int) -> Int { Int(((next() >> 32) &* UInt64(count)) >> 32) }
}
