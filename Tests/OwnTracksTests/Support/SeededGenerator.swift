import AsyncLocation
import FoundationEssentials

/// SplitMix64: equal seeds give equal sequences.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func pick<Element>(_ choices: [Element]) -> Element {
    choices[Int.random(in: 0..<choices.count, using: &self)]
  }

  /// A location with random members of those that OwnTracks has.
  mutating func location() throws -> Location {
    func maybe(_ range: ClosedRange<Double>) -> Double? {
      Bool.random(using: &self) ? Double.random(in: range, using: &self) : nil
    }
    let timestamp =
      Bool.random(using: &self)
      ? Date(timeIntervalSince1970: Double(Int.random(in: 0...4_000_000_000, using: &self)))
      : Date(timeIntervalSince1970: Double.random(in: -60e9...250e9, using: &self))
    return try Location(
      latitude: .random(in: -90...90, using: &self),
      longitude: .random(in: -180...180, using: &self), timestamp: timestamp,
      altitude: maybe(-500...9_000), horizontalAccuracy: maybe(0...100),
      verticalAccuracy: maybe(0...3), speed: maybe(0...90), course: maybe(0...359.999))
  }
}
