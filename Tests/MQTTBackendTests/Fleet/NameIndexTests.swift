import MockBackend
import TestSupport
import Testing

@testable import MQTTBackend

@Suite(.inTurn) struct NameIndexTests {
  @Test func findsNothingWhenItIsEmpty() {
    #expect(NameIndex().find(7) { _ in true } == nil)
  }

  @Test func distinguishesSlotsOfOneHash() {
    var index = NameIndex()
    for slot in 0..<5 { index.insert(slot, 42) }
    for slot in 0..<5 { #expect(index.find(42) { $0 == slot } == slot) }
    index.remove(2, 42)
    #expect(index.find(42) { $0 == 2 } == nil)
    for slot in [0, 1, 3, 4] { #expect(index.find(42) { $0 == slot } == slot) }
  }

  @Test func findsWrappedEntries() {
    var index = NameIndex()
    // All hashes belong to the last of the 16 positions, so the next entries wrap around.
    for slot in 0..<6 { index.insert(slot, UInt32(slot) << 4 | 15) }
    index.remove(0, 15)
    for slot in 1..<6 { #expect(index.find(UInt32(slot) << 4 | 15) { $0 == slot } == slot) }
    #expect(index.find(15) { _ in true } == nil)
  }

  /// Hashes of a few bits cause long runs of entries.
  @Test(.longWork, arguments: [2, 5, 9, 32])
  func agreesWithADictionary(bits: Int) {
    var generator = SplitMix64(seed: UInt64(bits))
    var index = NameIndex()
    var model: [Int: UInt32] = [:]
    var disagreements = 0
    for step in 0..<4_000 {
      let slot = Int.random(in: 0..<300, using: &generator)
      if let hash = model[slot] {
        if !generator.next().isMultiple(of: 3) {
          index.remove(slot, hash)
          model[slot] = nil
        }
      } else {
        let hash = UInt32.random(in: 0..<UInt32(clamping: 1 << bits), using: &generator)
        index.insert(slot, hash)
        model[slot] = hash
      }
      if index.count != model.count { disagreements += 1 }
      guard step.isMultiple(of: 50) else { continue }
      for (slot, hash) in model where index.find(hash, where: { $0 == slot }) != slot {
        disagreements += 1
      }
    }
    #expect(disagreements == 0)
  }
}
