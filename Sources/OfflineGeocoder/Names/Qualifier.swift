import AsyncLocation

/// The countries and first-level divisions that one text designates. Pure.
struct Qualifier {
  private var countries: Set<Int> = []
  private var divisions: Set<Int> = []

  var isEmpty: Bool { countries.isEmpty && divisions.isEmpty }
  var designatesCountry: Bool { !countries.isEmpty }

  private static let space = UInt8(ascii: " ")
  private static let article = Array("the ".utf8)

  /// - Parameter name: A folded name or code.
  init(_ name: [UInt8], in gazetteer: Gazetteer) {
    let rest = name.starts(with: Self.article) ? name.dropFirst(Self.article.count) : name[...]
    // Without spaces, so that "D.C." is the code DC.
    let key = rest.filter { $0 != Self.space }
    let list = gazetteer.designations
    func text(_ index: Int) -> StoredText { gazetteer.text(list.number(index)) }
    var index = (0..<list.count).partition { !text($0).lexicographicallyPrecedes(key) }
    while index < list.count, text(index).elementsEqual(key) {
      insert(list.number(index, at: 4))
      index += 1
    }
  }

  /// The countries and divisions whose name or code differs from a name by one letter.
  init(misspelled name: [UInt8], in gazetteer: Gazetteer) {
    guard name.count <= Misspelling.longest else { return }
    for correction in Misspelling.corrections(of: name) {
      let corrected = Qualifier(correction, in: gazetteer)
      countries.formUnion(corrected.countries)
      divisions.formUnion(corrected.divisions)
    }
  }

  private mutating func insert(_ subject: UInt32) {
    switch NamedSubject(number: subject) {
    case .place: break
    case .division(let index): divisions.insert(index)
    case .country(let index): countries.insert(index)
    }
  }

  /// Whether the text designates a division or its country.
  func contains(division: Int, of gazetteer: Gazetteer) -> Bool {
    divisions.contains(division) || countries.contains(gazetteer.country(ofDivision: division))
  }
}
