import TestSupport
import Testing

@testable import OfflineGeocoder

@Suite(.inTurn) struct FoldingTableTests {
  private let table = FoldingTable(gazetteer: .embedded)

  @Test(arguments: [
    ("Zürich", "zurich"), ("Zu\u{308}rich", "zurich"), ("STRASSE", "strasse"),
    ("Straße", "strasse"), ("Ærøskøbing", "aeroskobing"), ("Łódź", "lodz"), ("ﬁ", "fi"),
    ("İstanbul", "istanbul"), ("Iğdır", "igdir"), ("Đà Nẵng", "da nang"), ("ＴＯＫＹＯ", "tokyo"),
    ("L’Aquila", "laquila"), ("Ryazan’", "ryazan"), ("Stratford-upon-Avon", "stratford upon avon"),
    ("  St. -- Gallen. ", "st gallen"), ("Ёлка", "елка"), ("Αθήνα", "αθηνα"), ("", ""), ("'", ""),
    ("!?", ""), ("서울", "서울"), ("東京", "東京"), ("がぎ", "か\u{3099}き\u{3099}"), ("𝔸", "𝔸"),
    ("שָׁלוֹם", "שלום"), ("दिल्ली", "दिल्ली"),
  ])
  func folds(_ name: String, _ folded: String) {
    #expect(
      String(decoding: table.fold(name), as: UTF8.self).unicodeScalars
        .elementsEqual(folded.unicodeScalars))
  }

  @Test func foldingTwiceChangesNothing() {
    for index in stride(from: 0, to: Gazetteer.embedded.places.count, by: 97) {
      let key = table.fold(Gazetteer.embedded.name(index).string)
      #expect(table.fold(String(decoding: key, as: UTF8.self)) == key)
    }
  }
}
