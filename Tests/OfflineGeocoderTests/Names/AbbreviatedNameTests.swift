import TestSupport
import Testing

@testable import OfflineGeocoder

@Suite(.inTurn) struct AbbreviatedNameTests {
  @Test(
    arguments: [
      ("freiburg i br", "freiburg im breisgau", true),
      ("frankfurt main", "frankfurt am main", true),
      ("frankfurt m", "frankfurt am main", false), ("frankfurt a m", "frankfurt am main", true),
      ("frankfurt am main", "frankfurt am main", true),
      ("limburg a d lahn", "limburg an der lahn", true),
      // Every word of the query must occur, in its order.
      ("frankfurt oder", "frankfurt am main", false), ("frankfurt m a", "frankfurt am main", false),
      ("frankfurt m x", "frankfurt am main", false),
      // Only short words may be missing.
      ("saint denis", "saint paul denis", false), ("saint d", "saint denis", true),
      ("saint d", "saint denis reunion", false), ("saint d", "saint denis la", false),
      ("saint denis", "saint denis la", true), ("san franc cal", "san francisco el calvito", false),
    ])
  func abbreviationsMatchWordByWord(_ query: String, name: String, isMatch: Bool) throws {
    let abbreviated = try #require(AbbreviatedName(Array(query.utf8)))
    #expect(name.utf8.starts(with: abbreviated.beginning))
    #expect(abbreviated.abbreviates(Array(name.utf8)) == isMatch)
  }

  @Test(arguments: ["", "frankfurt", "st p", "  "])
  func anAbbreviationNeedsTwoWords(_ query: String) {
    #expect(AbbreviatedName(Array(query.utf8)) == nil)
  }
}
