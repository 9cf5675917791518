import MockBackend

/// Every decision of a schedule, drawn from a seed or given beforehand, and kept for a replay.
struct Choices {
  private var generator: SplitMix64
  /// What is chosen first; after that chance, or zeros, decides.
  private let given: [UInt8]
  private let isRandom: Bool
  private(set) var made: [UInt8] = []
  /// How many there were to choose from, for a search through all of them; empty unless it is asked
  /// for.
  private(set) var widths: [UInt8] = []
  private let keepsWidths: Bool
  /// Of what was chosen and where: two schedules that differ have different ones.
  private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  init(seed: UInt64) {
    (generator, given, isRandom) = (SplitMix64(seed: seed), [], true)
    keepsWidths = false
    made.reserveCapacity(512)
  }

  /// The choices given, and the first of each after them.
  init(given: [UInt8], keepsWidths: Bool = false) {
    (generator, self.given, isRandom) = (SplitMix64(seed: 0), given, false)
    self.keepsWidths = keepsWidths
  }

  /// One of `0..<count`, 255 at the most.
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

  /// True once in `count` times; never where neither chance nor what is given says so.
  mutating func happens(onceIn count: Int) -> Bool {
    if made.count < given.count || !isRandom { return choose(2) == 1 }
    let isChosen = generator.below(count) == 0
    note(isChosen ? 1 : 0, of: 2)
    return isChosen
  }

  private mutating func note(_ choice: Int, of count: Int) {
    made.append(UInt8(choice))
    if keepsWidths { widths.append(UInt8(count)) }
    hash = (hash ^ UInt64(choice)) &* 0x100_0000_01b3
  }

  mutating func fold(_ value: UInt64) { hash = (hash ^ value) &* 0x100_0000_01b3 }
}

extension SplitMix64 {
  /// One of `0..<count`.
  mutating func below(_ count: Int) -> Int { Int(((next() >> 32) &* UInt64(count)) >> 32) }
}
