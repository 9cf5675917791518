import TestSupport
import Testing

@testable import OfflineGeocoder

@Suite(.inTurn) struct MisspellingTests {
  @Test(arguments: [
    ("berlim", "berlin"), ("brlin", "berlin"), ("berrlin", "berlin"), ("eberlin", "berlin"),
    ("ebrlin", "berlin"), ("berlni", "berlin"), ("berli", "berlin"), ("erlin", "berlin"),
    ("newyork", "new york"), ("мосвка", "москва"), ("αθηαν", "αθηνα"),
  ])
  func oneLetterIsCorrected(_ wrong: String, _ right: String) {
    #expect(Misspelling.corrections(of: Array(wrong.utf8)).contains(Array(right.utf8)))
  }

  @Test func correctionsAreNewAndDifferent() {
    let key = Array("hamburg".utf8)
    let corrections = Misspelling.corrections(of: key)
    #expect(Set(corrections).count == corrections.count)
    #expect(!corrections.contains(key))
  }

  @Test(arguments: ["", "rom", "東京都庁"])
  func shortNamesAndOtherScriptsAddNoLetters(_ name: String) {
    let scalars = name.unicodeScalars.count
    #expect(Misspelling.corrections(of: Array(name.utf8)).count <= 2 * scalars)
  }
}
