import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct SubscriberTableTests {
  /// A table and a dictionary receive the same random operations.
  @Test(.longWork, arguments: 1...20 as ClosedRange<UInt64>)
  func agreesWithADictionary(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var table = SubscriberTable<Int>()
    var model: [UInt64: Int] = [:]
    var lastID: UInt64 = 0
    for step in 0..<500 {
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<9:
        lastID += 1
        table.add(step, id: lastID)
        model[lastID] = step
      case 9..<17:
        let id = UInt64.random(in: 0...(lastID + 1), using: &random)
        #expect(table.remove(id) == model.removeValue(forKey: id))
      case 17..<19:
        table.visit { $0 += 1 }
        model = model.mapValues { $0 + 1 }
      default:
        // Seldom, so that the table grows in between.
        if step % 7 == 0 {
          #expect(table.removeAll().sorted() == model.values.sorted())
          model = [:]
        }
      }
      #expect(table.count == model.count)
      #expect(table.ids.sorted() == model.keys.sorted())
      var members: [Int] = []
      table.visit { members.append($0) }
      #expect(members == table.ids.map { model[$0] })
    }
  }

  @Test func anEmptiedTableCanBeReused() {
    var table = SubscriberTable<String>()
    table.add("a", id: 1)
    table.add("b", id: 2)
    #expect(table.removeAll() == ["a", "b"])
    #expect(table.remove(1) == nil)
    table.add("c", id: 2)
    #expect(table.remove(2) == "c")
    #expect(table.count == 0)
  }
}
