/// A name to find, and the regions that the place must be in. Pure.
struct NameQuery {
  /// The maximum length of a name in UTF-8 bytes.
  static let longest = 256

  /// The name as it was written, without surrounding spaces.
  let spelling: String
  /// The folded name.
  let key: [UInt8]
  /// Whether only names that equal this name match, not names that begin with it or differ by a
  /// letter.
  let isExact: Bool
  /// The parts after the name that are countries or divisions. The place must be in each of them.
  private let qualifiers: [Qualifier]
  /// The point near which places are preferred: that of the most populous place named by the first
  /// part that is no country or division.
  let surroundings: SpacePoint?

  var isQualified: Bool { !qualifiers.isEmpty }

  /// Reads a text as one name and, if it has commas, also as a name followed by regions. A part
  /// that is no country, division or place is read as a country or division with one wrong letter,
  /// or else ignored.
  static func readings(of text: String, in gazetteer: Gazetteer) -> [NameQuery] {
    let folding = FoldingTable(gazetteer: gazetteer)
    // A text that begins with a comma has no name.
    if trimmed(text.prefix { $0 != "," }).isEmpty { return [] }
    let parts = text.split(separator: ",").map(trimmed).filter { !$0.isEmpty }
    let whole = NameQuery(
      spelling: trimmed(text[...]), key: folding.fold(text), isExact: parts.count > 1,
      qualifiers: [], surroundings: nil)
    guard parts.count > 1 else { return [whole] }
    // No place is in more than four regions.
    let names = parts.dropFirst().prefix(4).map(folding.fold)
    let qualifiers = names.map { name in
      let qualifier = Qualifier(name, in: gazetteer)
      guard qualifier.isEmpty, point(of: name, in: gazetteer) == nil else { return qualifier }
      return Qualifier(misspelled: name, in: gazetteer)
    }
    let qualified = NameQuery(
      spelling: parts[0], key: folding.fold(parts[0]), isExact: false,
      qualifiers: qualifiers.filter { !$0.isEmpty },
      surroundings: zip(names, qualifiers).first { $0.1.isEmpty }
        .flatMap { point(of: $0.0, in: gazetteer) })
    return [whole, qualified]
  }

  /// Reads a text without commas as a name whose last words are a country or a division, or a
  /// division and its country; each has at most three words.
  static func divided(_ text: String, in gazetteer: Gazetteer) -> [NameQuery] {
    guard !text.contains(",") else { return [] }
    let folding = FoldingTable(gazetteer: gazetteer)
    func readings(_ words: ArraySlice<Substring>, _ qualifiers: [Qualifier]) -> [NameQuery] {
      var found: [NameQuery] = []
      for count in 1...3 where count < words.count {
        let qualifier = Qualifier(
          folding.fold(words.suffix(count).joined(separator: " ")), in: gazetteer)
        guard !qualifier.isEmpty else { continue }
        let (rest, allQualifiers) = (words.dropLast(count), qualifiers + [qualifier])
        let name = rest.joined(separator: " ")
        found.append(
          NameQuery(
            spelling: name, key: folding.fold(name), isExact: true, qualifiers: allQualifiers,
            surroundings: nil))
        if allQualifiers.count < 2 { found += readings(rest, allQualifiers) }
      }
      return found
    }
    return readings(text.split(whereSeparator: \.isWhitespace)[...], [])
  }

  /// The text without words that have digits, such as postal codes; nil if no word has digits, or
  /// every word has.
  static func withoutNumbers(_ text: String) -> String? {
    let words = text.split(whereSeparator: \.isWhitespace)
    let names = words.filter { !$0.contains(where: \.isNumber) }
    return names.isEmpty || names.count == words.count ? nil : names.joined(separator: " ")
  }

  private static let abbreviations = [
    "st": ["Saint", "Sankt"], "ste": ["Sainte"], "mt": ["Mount"], "ft": ["Fort"],
  ]

  /// The text with its first word spelled out in each possible way, if the word is a common
  /// abbreviation; otherwise empty.
  static func spelledOut(_ text: String) -> [String] {
    let text = trimmed(text[...])
    let word = text.prefix { $0.isLetter }
    let rest = text.dropFirst(word.count)
    guard let words = abbreviations[word.lowercased()], rest.first == "." || rest.first == " "
    else { return [] }
    return words.map { $0 + " " + rest.drop { ". ".contains($0) } }
  }

  /// Whether the name is that of a country or a division. Names of up to three bytes do not count:
  /// they may be codes, with which many names begin.
  func isRegion(in gazetteer: Gazetteer) -> Bool {
    key.count > 3 && !Qualifier(key, in: gazetteer).isEmpty
  }

  /// Whether the name is a code in capitals of a country, such as `USA`, or a two-letter code of a
  /// division, such as `TX`. Three-letter names of divisions do not count, because cities share
  /// them.
  func isCode(in gazetteer: Gazetteer) -> Bool {
    let count = spelling.utf8.count
    guard (2...3).contains(count),
      spelling.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
    else { return false }
    let qualifier = Qualifier(key, in: gazetteer)
    return qualifier.designatesCountry || count == 2 && !qualifier.isEmpty
  }

  /// The same name without its qualifiers.
  var unqualified: NameQuery {
    NameQuery(
      spelling: spelling, key: key, isExact: isExact, qualifiers: [], surroundings: surroundings)
  }

  /// Whether a division is in all qualifiers.
  func admits(division: Int, of gazetteer: Gazetteer) -> Bool {
    qualifiers.allSatisfy { $0.contains(division: division, of: gazetteer) }
  }

  /// The point of the most populous place with a folded name.
  private static func point(of name: [UInt8], in gazetteer: Gazetteer) -> SpacePoint? {
    var found = Ranking(limit: 1)
    for kind in [NameList.Kind.main, .alternate] {
      let list = NameList(gazetteer: gazetteer, kind: kind)
      for index in list.range(of: name, isPrefix: false) {
        let place = list.place(index)
        found.insert(place, Double(gazetteer.population(place)))
      }
    }
    return found.places.first.map(PlaceTree(nodes: gazetteer.places).point)
  }

  private static func trimmed(_ text: Substring) -> String {
    let rest = text.drop(while: \.isWhitespace)
    return String(rest.dropLast(rest.reversed().prefix(while: \.isWhitespace).count))
  }
}
