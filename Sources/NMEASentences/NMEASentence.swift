import AsyncLocation

/// A sentence of NMEA 0183: `$`, talker, type, fields, and a checksum.
package struct NMEASentence: Hashable, Sendable {
  /// The reason that a line has no usable sentence.
  package enum Fault: Error, Hashable, Sendable {
    /// The line is not a sentence at all: a comment, text, or bytes of another protocol.
    case notASentence
    case wrongChecksum
    /// The checksum is missing, although other sentences have one: the sentence is truncated.
    case noChecksum
    case invalidCharacter
  }

  /// The two characters that name the kind of device; `P` for a proprietary sentence.
  package let talker: String
  /// The type: three characters, or all characters after the `P` of a proprietary sentence.
  package let type: String
  /// The fields after the address.
  package let fields: [Substring]
  package let hasChecksum: Bool

  /// Reads the last sentence of a line. The text before it may be another protocol or a time.
  package init(_ line: ArraySlice<UInt8>) throws(Fault) {
    guard line.first != UInt8(ascii: "#"), let start = line.lastIndex(of: UInt8(ascii: "$")) else {
      throw .notASentence
    }
    let rest = line[(start + 1)...]
    let star = rest.firstIndex(of: UInt8(ascii: "*"))
    let body = rest[..<(star ?? rest.endIndex)]
    guard body.count >= 5, let comma = body.firstIndex(of: UInt8(ascii: ",")),
      body[..<comma].allSatisfy(Self.isAddressCharacter), comma - body.startIndex >= 2
    else { throw .notASentence }
    guard body.allSatisfy({ (0x20...0x7E).contains($0) }) else { throw .invalidCharacter }
    if let star {
      guard let stated = Self.hexadecimal(rest[(star + 1)...]) else { throw .noChecksum }
      guard body.reduce(0, ^) == stated else { throw .wrongChecksum }
    }
    hasChecksum = star != nil
    let fields = Substring(decoding: body, as: UTF8.self).split(
      separator: ",", omittingEmptySubsequences: false)
    let address = fields[0]
    let talkerLength = address.first == "P" ? 1 : max(0, address.utf8.count - 3)
    talker = String(address.prefix(talkerLength))
    type = String(address.dropFirst(talkerLength))
    self.fields = Array(fields.dropFirst())
  }

  /// The field with a number, from 1 as in the standard; nil if it is empty or missing.
  package subscript(_ number: Int) -> Substring? {
    guard number <= fields.count else { return nil }
    let field = fields[number - 1]
    return field.isEmpty ? nil : field
  }

  private static func isAddressCharacter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> UInt8? {
    // `UInt8.init(_:radix:)` accepts a plus sign.
    guard bytes.count >= 2, bytes.prefix(2).allSatisfy({ $0 != UInt8(ascii: "+") }) else {
      return nil
    }
    return UInt8(String(decoding: bytes.prefix(2), as: UTF8.self), radix: 16)
  }
}

// MARK: Fields

extension NMEASentence {
  package func number(_ field: Int) -> Double? { self[field].flatMap { DecimalNumber.parse($0) } }

  package func integer(_ field: Int) -> Int? { self[field].flatMap { Int($0) } }

  package func letter(_ field: Int) -> Character? { self[field]?.first }

  /// A time, `hhmmss` with an optional fraction, in seconds after midnight. A leap second counts
  /// as the following second.
  package func timeOfDay(_ field: Int) -> Double? {
    guard let text = self[field], text.utf8.count >= 6, let number = DecimalNumber.parse(text),
      text.utf8.prefix(6).allSatisfy(\.isDigit), number < 240_000
    else { return nil }
    let whole = Int(number.rounded(.down))
    let (hour, minute, second) = (whole / 10_000, whole / 100 % 100, whole % 100)
    guard hour < 24, minute < 60, second <= 60 else { return nil }
    // The fraction is parsed separately: as a part of the large number, it would be rounded.
    let fraction = DecimalNumber.parse("0" + text.dropFirst(6)) ?? 0
    return ComputedNumber.rounded(Double(hour * 3600 + minute * 60 + second) + fraction)
  }

  /// A latitude and a longitude in four fields: `ddmm.m`, N or S, `dddmm.m`, E or W.
  package func position(_ field: Int) -> (latitude: Double, longitude: Double)? {
    guard let latitude = angle(field, positive: "N", negative: "S", limit: 90),
      let longitude = angle(field + 2, positive: "E", negative: "W", limit: 180)
    else { return nil }
    return (latitude, longitude)
  }

  private func angle(
    _ field: Int, positive: Character, negative: Character, limit: Double
  ) -> Double? {
    guard let number = number(field), number >= 0, number < 18_001 else { return nil }
    let degrees = (number / 100).rounded(.down)
    let minutes = number - degrees * 100
    let value = ComputedNumber.rounded(degrees + minutes / 60)
    guard minutes < 60, value <= limit else { return nil }
    switch letter(field + 1) {
    case positive: return value
    case negative: return -value
    default: return nil
    }
  }
}
