/// The preferred languages of place names.
///
/// A string literal is one language: `locale: "de-AT"`. For the user's languages, pass Foundation's
/// `Locale.preferredLanguages`. Foundation's `Locale` is not used, because in FoundationEssentials
/// it has only one language.
///
/// Encoded as an array of the languages.
public struct GeocodingLocale: Sendable, Hashable {
  /// Tags of BCP 47 such as `de` or `pt-BR`, the most preferred first, without duplicates. There
  /// are at most ``limit``.
  public let languages: [String]

  /// The largest number of languages: 16.
  public static var limit: Int { 16 }

  /// Creates a locale from languages, the most preferred first.
  ///
  /// - Parameter languages: Tags of BCP 47; also names of POSIX locales such as `de_AT.UTF-8`,
  ///   whose underscores become hyphens and whose suffix is removed. A name that is not a tag, such
  ///   as `C` and `POSIX`, is ignored: a tag has 2 to 35 characters, begins with a letter, and
  ///   consists of parts of 1 to 8 letters or digits, separated by hyphens. Tags beyond ``limit``
  ///   are ignored, too.
  public init(languages: [String]) {
    var tags: [String] = []
    for language in languages where tags.count < Self.limit {
      if let tag = Self.tag(language), !tags.contains(tag) { tags.append(tag) }
    }
    self.languages = tags
  }

  /// Creates a locale of one language.
  public init(_ language: String) { self.init(languages: [language]) }

  /// The tag in a text; nil if there is none. No other text is accepted, because the tag becomes a
  /// part of requests.
  private static func tag(_ text: String) -> String? {
    let name = text.utf8.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "@") }
    let bytes = name.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }
    let parts = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard (2...35).contains(bytes.count), let first = bytes.first, isLetter(first),
      parts.allSatisfy({
        (1...8).contains($0.count) && $0.allSatisfy { isLetter($0) || isDigit($0) }
      })
    else { return nil }
    let tag = String(decoding: bytes, as: UTF8.self)
    return tag == "POSIX" ? nil : tag
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

extension GeocodingLocale: ExpressibleByStringLiteral {
  public init(stringLiteral language: String) { self.init(language) }
}

extension GeocodingLocale: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(languages: try decoder.singleValueContainer().decode([String].self))
  }

  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(languages)
  }
}

extension GeocodingLocale: CustomStringConvertible, CustomReflectable {
  public var description: String { languages.joined(separator: ", ") }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
