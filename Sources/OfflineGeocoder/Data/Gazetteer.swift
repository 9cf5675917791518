internal import AsyncLocation

/// A file of places, read where it lies; `scripts/gazetteer-tools/layout.py` describes its format.
final class Gazetteer: Sendable {
  /// Places in the order of their k-d tree: x, y, z, and the population with the axis.
  let places: Table
  /// The same of the cities, with the index of the place in place of the population.
  let cities: Table
  private let records: Table
  private let countries: Table
  private let divisions: Table
  private let zones: Table
  /// Indices of places, ordered by folded name.
  let names: Table
  /// Folded alternate names with indices of places, ordered by name.
  let alternates: Table
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
  ///   contains no file of places, one of another version, or a part of one.
  init(_ memory: GazetteerMemory) throws(LocationError) {
    let header = try GazetteerHeader(memory)
    self.memory = memory
    func table(_ section: GazetteerHeader.Section, _ stride: Int) -> Table {
      unsafe Table(
        UnsafeRawBufferPointer(rebasing: memory.bytes[header[section]]), stride: stride)
    }
    places = table(.places, 16)
    cities = table(.cities, 16)
    records = table(.records, 8)
    countries = table(.countries, 16)
    divisions = table(.divisions, 12)
    zones = table(.zones, 4)
    names = table(.names, 4)
    alternates = table(.alternates, 8)
    folding = table(.folding, 2)
    strings = table(.strings, 1)
  }

  func name(_ place: Int) -> String { text(records.number(place)) }
  func population(_ place: Int) -> Int { Int(places.number(place, at: 12) >> 2) }
  func timeZone(_ place: Int) -> String {
    text(zones.number(Int(records.number(place, at: 6, as: UInt16.self))))
  }

  /// The index of the division of a place.
  func division(_ place: Int) -> Int { Int(records.number(place, at: 4, as: UInt16.self)) }
  var divisionCount: Int { divisions.count }
  /// The index of the country of a division.
  func country(ofDivision division: Int) -> Int { Int(divisions.number(division)) }
  func divisionCode(_ division: Int) -> String { text(divisions.number(division, at: 4)) }
  /// Empty if it is not known.
  func divisionName(_ division: Int) -> String { text(divisions.number(division, at: 8)) }

  var countryCount: Int { countries.count }
  /// The code in ISO 3166-1, two letters.
  func countryCode(_ country: Int) -> String { text(countries.number(country)) }
  func countryName(_ country: Int) -> String { text(countries.number(country, at: 4)) }
  /// The code of three letters, and the domain, such as "UK".
  func otherCountryCodes(_ country: Int) -> [String] {
    [text(countries.number(country, at: 8)), text(countries.number(country, at: 12))]
  }

  func text(_ offset: UInt32) -> String { strings.text(Int(offset)) }
}
