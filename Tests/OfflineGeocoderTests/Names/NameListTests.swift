import TestSupport
import Testing

@testable import OfflineGeocoder

@Suite(.inTurn) struct NameListTests {
  private let gazetteer = Gazetteer.embedded

  /// The lists are searched by bisection, so they must be in the order of the reader's folding.
  @Test(.longWork, arguments: [NameList.Kind.main, .alternate])
  func namesAreFound(_ kind: NameList.Kind) {
    let list = NameList(gazetteer: gazetteer, kind: kind)
    let folding = FoldingTable(gazetteer: gazetteer)
    let table = kind == .main ? gazetteer.names : gazetteer.alternates
    for index in stride(from: 0, to: table.count, by: 211) {
      let key =
        kind == .main
        ? folding.fold(gazetteer.name(list.place(index)).string)
        : Array(gazetteer.text(gazetteer.alternates.number(index)))
      #expect(list.range(of: key, isPrefix: false).contains(index))
      #expect(list.range(of: Array(key.prefix(3)), isPrefix: true).contains(index))
    }
  }

  @Test func listsAreOrdered() {
    let folding = FoldingTable(gazetteer: gazetteer)
    var previous: [UInt8] = []
    for index in 0..<5_000 {
      let key = folding.fold(gazetteer.name(Int(gazetteer.names.number(index))).string)
      #expect(!key.lexicographicallyPrecedes(previous))
      previous = key
    }
  }

  @Test func absentNamesHaveEmptyRanges() {
    let list = NameList(gazetteer: gazetteer, kind: .main)
    for name in ["xqzzwk", "\u{10FFFF}", "!"] {
      #expect(list.range(of: Array(name.utf8), isPrefix: true).isEmpty)
    }
    #expect(list.range(of: [], isPrefix: true) == 0..<gazetteer.names.count)
  }
}
