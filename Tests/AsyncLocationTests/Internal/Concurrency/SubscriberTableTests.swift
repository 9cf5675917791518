import MockBackend
import Testing

@testable import AsyncLocation

@Suite struct RosterTests {
  /// Members come and go at random; the roster holds what a dictionary holds.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func holdsWhatADictionaryHolds(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var roster = SubscriberTable<Int>()
    var model: [UInt64: Int] = [:]
    var lastID: UInt64 = 0
    for step in 0..<500 {
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<9:
        lastID += 1
        roster.add(step, id: lastID)
        model[lastID] = step
      case 9..<17:
        let id = UInt64.random(in: 0...(lastID + 1), using: &random)
        #expect(roster.remove(id) == model.removeValue(forKey: id))
      case 17..<19:
        roster.visit { $0 += 1 }
        model = model.mapValues { $0 + 1 }
      default:
        if step % 7 == 0 {
          #expect(roster.removeAll().sorted() == model.values.sorted())
          model = [:]
        }
      }
      #expect(roster.count == model.count)
      #expect(roster.ids.sorted() == model.keys.sorted())
      var members: [Int] = []
      roster.visit { members.append($0) }
      #expect(members == roster.ids.map { model[$0] })
    }
  }

  @Test func emptiedRosterStartsAnew() {
    var roster = SubscriberTable<String>()
    roster.add("a", id: 1)
    roster.add("b", id: 2)
    #expect(roster.removeAll() == ["a", "b"])
    #expect(roster.remove(1) == nil)
    roster.add("c", id: 2)
    #expect(roster.remove(2) == "c")
    #expect(roster.count == 0)
  }
}
