internal import AsyncLocation

/// A file of places, read in place; `scripts/gazetteer-tools/layout.py` describes its format.
final class Gazetteer: Sendable {
  /// Places in the order of their k-d tree: x, y, z, and the population with the axis.
  let places: Table
  private let cities: Table
  private let records: Table
  private let parts: Table
  private let subdivisions: Table
  private let countries: Table
  private let divisions: Table
  /// Folded names and codes of countries and divisions, with their subjects, ordered by name.
  let designations: Table
  private let zones: Table
  /// Indices of places, ordered by folded name.
  let names: Table
  /// Folded alternate names with indices of places, ordered by name.
  let alternates: Table
  /// Tags of languages, ordered by their bytes.
  let languages: Table
  /// Subjects, languages and names in these languages, ordered by subject and language.
  let translations: Table
  /// Pages of folded scalars.
  let folding: Table
  private let strings: Table
  private let memory: GazetteerMemory

  /// The places in the library.
  static let embedded: Gazetteer = {
    do throws(LocationError) {
      return try Gazetteer(.embedded)
    } catch {
      preconditionFailure("The library was built with a damaged file: \(error.message)")
    }
  }()

  /// - Throws: ``LocationError`` with ``LocationError/Code/geocoderUnavailable`` when the memory
  ///   contains no file of places, a file of another version, or an incomplete file.
  init(_ memory: GazetteerMemory) throws(LocationError) {
    let header = try GazetteerHeader(memory)
    self.memory = memory
    func table(_ section: GazetteerHeader.Section, _ stride: Int) -> Table {
      unsafe Table(
        UnsafeRawBufferPointer(rebasing: memory.bytes[header[section]]), stride: stride)
    }
    places = table(.places, 16)
    cities = table(.cities, 4)
    records = table(.records, 8)
    parts = table(.parts, 2)
    subdivisions = table(.subdivisions, 4)
    countries = table(.countries, 8)
    divisions = table(.divisions, 12)
    designations = table(.designations, 8)
    zones = table(.zones, 4)
    names = table(.names, 4)
    alternates = table(.alternates, 8)
    languages = table(.languages, 4)
    translations = table(.translations, 12)
    folding = table(.folding, 2)
    strings = table(.strings, 1)
  }

  func name(_ place: Int) -> StoredText { text(records.number(place)) }
  func population(_ place: Int) -> Int { Int(places.number(place, at: 12) >> 2) }
  func timeZone(_ place: Int) -> StoredText {
    text(zones.number(Int(records.number(place, at: 6, as: UInt16.self))))
  }
  /// The city that a place is a part of; nil if it is in none.
  ///
  /// The city is the largest one with a population of 50,000 or more in the place's division that
  /// is at most 6 m times the square root of the city's population away, if it has three times the
  /// population of the place.
  func city(_ place: Int) -> Int? {
    let number = Int(parts.number(place, as: UInt16.self))
    return number == 0 ? nil : Int(cities.number(number - 1))
  }
  /// The name of the second-level division of a place; empty if it is not known.
  func subdivisionName(_ place: Int) -> StoredText { text(subdivisions.number(place)) }

  /// The index of the division of a place.
  func division(_ place: Int) -> Int { Int(records.number(place, at: 4, as: UInt16.self)) }
  var divisionCount: Int { divisions.count }
  /// The index of the country of a division.
  func country(ofDivision division: Int) -> Int { Int(divisions.number(division)) }
  func divisionCode(_ division: Int) -> StoredText { text(divisions.number(division, at: 4)) }
  /// The name of a division; empty if it is not known.
  func divisionName(_ division: Int) -> StoredText { text(divisions.number(division, at: 8)) }

  var countryCount: Int { countries.count }
  /// The two-letter code in ISO 3166-1.
  func countryCode(_ country: Int) -> StoredText { text(countries.number(country)) }
  func countryName(_ country: Int) -> StoredText { text(countries.number(country, at: 4)) }

  func text(_ offset: UInt32) -> StoredText { strings.text(Int(offset)) }
}
