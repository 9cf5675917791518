/// A name that is looked for, and what the place has to be in. Pure.
struct NameQuery {
  /// Bytes of a name in UTF-8.
  static let longest = 256

  private static let space = UInt8(ascii: " ")

  /// As it was written, without surrounding spaces.
  let spelling: String
  /// Folded.
  let key: [UInt8]
  /// True if names that only begin with it, or differ by a letter, do not count.
  let isExact: Bool
  /// The indices of divisions that the place may be in, one set for each part after the name.
  private let divisions: [Set<Int>]

  var isQualified: Bool { !divisions.isEmpty }

  /// Reads a text as one name, and if it has commas, also as a name with what it is in.
  static func readings(of text: String, in gazetteer: Gazetteer) -> [NameQuery] {
    let folding = FoldingTable(gazetteer: gazetteer)
    let parts = text.split(separator: ",").map(trimmed).filter { !$0.isEmpty }
    let whole = NameQuery(
      spelling: trimmed(text[...]), key: folding.fold(text), isExact: parts.count > 1,
      divisions: [])
    guard parts.count > 1 else { return [whole] }
    // Each part costs a pass over the divisions. No place is in more.
    let divisions = parts.dropFirst().prefix(4).map {
      Self.divisions(withoutSpaces(folding.fold($0)), folding)
    }
    let qualified = NameQuery(
      spelling: parts[0], key: folding.fold(parts[0]), isExact: false, divisions: divisions)
    return [whole, qualified]
  }

  /// The same name without what it is in.
  var unqualified: NameQuery {
    NameQuery(spelling: spelling, key: key, isExact: isExact, divisions: [])
  }

  /// True if a division is in everything that follows the name.
  func admits(division: Int) -> Bool { divisions.allSatisfy { $0.contains(division) } }

  /// The divisions that have a name or code, or whose country has.
  private static func divisions(_ key: [UInt8], _ folding: FoldingTable) -> Set<Int> {
    let gazetteer = folding.gazetteer
    var folded: [UInt8] = []
    func isNamed(_ names: StoredText...) -> Bool {
      names.contains { name in
        guard !name.isEmpty else { return false }
        folding.fold(name, into: &folded)
        folded.removeAll { $0 == space }
        return folded == key
      }
    }
    let countries = (0..<gazetteer.countryCount).filter { country in
      let codes = gazetteer.otherCountryCodes(country)
      return isNamed(
        gazetteer.countryCode(country), gazetteer.countryName(country), codes.0, codes.1)
    }
    return Set(
      (0..<gazetteer.divisionCount).filter { division in
        countries.contains(gazetteer.country(ofDivision: division))
          || isNamed(gazetteer.divisionCode(division), gazetteer.divisionName(division))
      })
  }

  /// So that "D.C." is the code DC.
  private static func withoutSpaces(_ key: [UInt8]) -> [UInt8] {
    key.filter { $0 != space }
  }

  private static func trimmed(_ text: Substring) -> String {
    let rest = text.drop(while: \.isWhitespace)
    return String(rest.dropLast(rest.reversed().prefix(while: \.isWhitespace).count))
  }
}
