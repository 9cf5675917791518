internal import AsyncLocation

/// The header of a file of places: its kind, and the ranges of its sections.
struct GazetteerHeader {
  /// The sections in the order of the file.
  enum Section: Int, CaseIterable {
    case places, cities, records, parts, subdivisions, countries, divisions, designations, zones
    case names, alternates, languages, translations, folding, strings
  }

  static let version: UInt32 = 3
  private static let magic = Array("GAZETTER".utf8)

  private let ranges: [Range<Int>]

  subscript(section: Section) -> Range<Int> { ranges[section.rawValue] }

  /// Checks that all sections are in the memory, and that each place has a record and a name.
  init(_ memory: GazetteerMemory) throws(LocationError) {
    let size = unsafe memory.bytes.count
    let words = unsafe Table(memory.bytes, stride: 4)
    let start = unsafe memory.bytes.prefix(Self.magic.count)
    guard unsafe start.elementsEqual(Self.magic) else {
      throw Self.unusable("is no file of places; make one with scripts/gazetteer")
    }
    guard words.number(2) == Self.version, words.number(3) == UInt32(Section.allCases.count) else {
      throw Self.unusable("has another version; make it with this version's scripts/gazetteer")
    }
    ranges = Section.allCases.map { section in
      let first = Int(words.number(4 + 2 * section.rawValue))
      return first..<first + Int(words.number(5 + 2 * section.rawValue))
    }
    let places = ranges[Section.places.rawValue].count / 16
    guard ranges.allSatisfy({ $0.upperBound <= size }), places > 0,
      ranges[Section.records.rawValue].count / 8 == places,
      ranges[Section.names.rawValue].count / 4 == places
    else { throw Self.unusable("is cut or damaged; make it again") }
  }

  private static func unusable(_ reason: String) -> LocationError {
    LocationError(.geocoderUnavailable, "The file of places \(reason).")
  }
}
