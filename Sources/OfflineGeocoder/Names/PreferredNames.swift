internal import AsyncLocation

/// Finds names in the languages that a request prefers. Pure.
struct PreferredNames {
  private let gazetteer: Gazetteer
  /// The numbers of the languages in the file, the most preferred first.
  private let languages: [UInt32]

  init(_ gazetteer: Gazetteer, _ locale: GeocodingLocale?) {
    self.gazetteer = gazetteer
    languages =
      gazetteer.languages.count == 0
      ? [] : (locale?.languages ?? []).flatMap { Self.numbers(of: $0, in: gazetteer) }
  }

  /// The name of a subject; nil if the file has none in the languages.
  func name(of subject: NamedSubject) -> String? {
    let translations = gazetteer.translations
    for language in languages {
      let wanted = (subject.number, language)
      let index = (0..<translations.count).partition {
        (translations.number($0), translations.number($0, at: 4)) >= wanted
      }
      guard index < translations.count,
        (translations.number(index), translations.number(index, at: 4)) == wanted
      else { continue }
      return gazetteer.text(translations.number(index, at: 8)).nonEmpty
    }
    return nil
  }

  /// The numbers of a language and of its more general tags: zh-Hant-TW, zh-Hant, zh.
  private static func numbers(of tag: String, in gazetteer: Gazetteer) -> [UInt32] {
    var tag = Array(tag.lowercased().utf8)
    var numbers: [UInt32] = []
    let languages = gazetteer.languages
    while !tag.isEmpty {
      let index = (0..<languages.count).partition {
        !gazetteer.text(languages.number($0)).lexicographicallyPrecedes(tag)
      }
      if index < languages.count, gazetteer.text(languages.number(index)).elementsEqual(tag) {
        numbers.append(UInt32(truncatingIfNeeded: index))
      }
      tag = Array(tag[..<(tag.lastIndex(of: UInt8(ascii: "-")) ?? 0)])
    }
    return numbers
  }
}
