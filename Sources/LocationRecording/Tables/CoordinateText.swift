import AsyncLocation

/// Reads a latitude or a longitude as tables write it: decimal degrees, degrees and minutes, or
/// degrees, minutes and seconds, with a sign or with a letter before or after. Pure.
///
/// One notation is recognized by its form only: `4654.900S` and `06938.099W`, with four and five
/// digits before the decimal point and a letter, are degrees and minutes as in NMEA 0183 and
/// SeeYou's `cup`.
package enum CoordinateText {
  enum Axis: Hashable, Sendable {
    case latitude, longitude

    fileprivate var letters: (positive: Character, negative: Character) {
      self == .latitude ? ("N", "S") : ("E", "W")
    }
    /// The number of digits of the degrees in a notation without signs.
    fileprivate var digitsBeforeMinutes: Int { self == .latitude ? 2 : 3 }

    /// - Parameter column: A column of hemispheres.
    init(of column: RecordedColumn) {
      self = column == .latitudeHemisphere ? .latitude : .longitude
    }

    var hemisphereColumn: RecordedColumn {
      self == .latitude ? .latitudeHemisphere : .longitudeHemisphere
    }

    /// The letter of a hemisphere of this axis; nil for other text.
    func hemisphere(_ text: String) -> Character? {
      CoordinateText.hemisphere(text).flatMap { $0.axis == self ? $0.letter : nil }
    }
  }

  /// The hemisphere of a letter or an English word; nil for other text.
  static func hemisphere(_ text: String) -> (axis: Axis, letter: Character)? {
    switch text.trimmed.lowercased() {
    case "n", "north": (.latitude, "N")
    case "s", "south": (.latitude, "S")
    case "e", "east": (.longitude, "E")
    case "w", "west": (.longitude, "W")
    default: nil
    }
  }

  /// Reads a coordinate; nil if it is not understood, or if its sign and letter contradict each
  /// other.
  static func parse(_ text: String, _ axis: Axis) -> Double? {
    if let number = DecimalNumber.parse(text) { return number }
    var rest = text.trimmed[...]
    // An `E` is not an exponent here: a number with an exponent was already read.
    var letter: Character?
    if let last = rest.last, last.isLetter {
      letter = last
      rest = rest.dropLast()
    } else if let first = rest.first, first.isLetter {
      letter = first
      rest = rest.dropFirst()
    }
    rest = rest.drop { $0 == " " }
    let sign = rest.first.flatMap { "+-".contains($0) ? $0 : nil }
    if sign != nil { rest = rest.dropFirst() }
    guard let magnitude = magnitude(rest, axis, hasLetter: letter != nil) else { return nil }
    let value = sign == "-" ? -magnitude : magnitude
    guard let letter else { return value }
    return apply(letter, to: value, axis)
  }

  /// Whether a letter is before or after a coordinate.
  static func hasLetter(_ text: String) -> Bool {
    let text = text.trimmed
    return text.first?.isLetter == true || text.last?.isLetter == true
  }

  /// Whether a text has the digits of degrees and minutes, without signs between them.
  static func hasMinutes(_ text: String, _ axis: Axis) -> Bool {
    let digits = text.trimmed.drop { !$0.isNumber }
    return digits.prefix { $0.isNumber }.count == axis.digitsBeforeMinutes + 2
      && digits.allSatisfy { $0.isNumber || ".,".contains($0) || $0.isLetter }
  }

  /// Reads a latitude and a longitude, in any order, each with a letter or a degree sign:
  /// `48°8'14"N 11°34'31"E`, `N 48.137, E 11.575`. Nil for other text, such as two numbers.
  package static func point(_ text: String) -> (latitude: Double, longitude: Double)? {
    var spaced = ""
    let hasPoints = text.contains(".")
    for (character, next) in zip(text, Array(text.dropFirst()) + [" "]) {
      // A comma between digits is a decimal comma, unless numbers have points.
      let isDecimal = spaced.last?.isNumber == true && next.isNumber && !hasPoints
      let divides = character == "," && !isDecimal
      spaced.append(divides ? " " : character)
    }
    let words = spaced.split(separator: " ")
    // A coordinate has up to three numbers, a letter and a sign.
    guard (2...10).contains(words.count) else { return nil }
    for end in 1..<words.count {
      let (first, second) = (
        words[..<end].joined(separator: " "), words[end...].joined(separator: " ")
      )
      guard isMarked(first), isMarked(second) else { continue }
      for (latitude, longitude) in [(first, second), (second, first)] {
        // An address in Utah, such as 200 S 300 E, is out of range.
        if let latitude = parse(latitude, .latitude), abs(latitude) <= 90,
          let longitude = parse(longitude, .longitude), abs(longitude) <= 180
        {
          return (latitude, longitude)
        }
      }
    }
    return nil
  }

  /// Whether a text has a letter before or after it, or a degree sign.
  private static func isMarked(_ text: String) -> Bool {
    text.first?.isLetter == true || text.last?.isLetter == true
      || text.contains(where: degreeSigns.contains)
  }

  /// The degree sign, and the ordinal indicator, which looks like it.
  private static let degreeSigns = "°º"

  /// The value in the hemisphere of a letter; nil for another letter, or if the letter contradicts
  /// a minus sign.
  private static func apply(_ letter: Character, to value: Double, _ axis: Axis) -> Double? {
    let (positive, negative) = axis.letters
    switch letter.uppercased() {
    case String(negative): return -abs(value)
    case String(positive): return value.sign == .minus && value != 0 ? nil : value
    default: return nil
    }
  }

  /// Reads numbers between signs of degrees, minutes and seconds, colons or spaces.
  ///
  /// A single number with a letter and enough digits before the decimal point is degrees and
  /// minutes.
  private static func magnitude(
    _ text: Substring, _ axis: Axis, hasLetter: Bool
  ) -> Double? {
    var parts = text.split { degreeSigns.contains($0) || ":'′’\"″” ".contains($0) }.map(String.init)
    // ExifTool writes 46 deg 54' 54.00".
    if parts.count > 1, parts[1] == "deg" { parts.remove(at: 1) }
    let numbers = parts.compactMap { part -> Double? in
      guard part.first?.isNumber == true || part.first == "." else { return nil }
      return RecordedNumber.parse(part, hasDecimalComma: true)
    }
    guard numbers.count == parts.count, let first = numbers.first else { return nil }
    switch numbers.count {
    case 1:
      let digits = parts[0].prefix { $0.isNumber }.count
      guard hasLetter, digits == axis.digitsBeforeMinutes + 2 else { return first }
      let degrees = (first / 100).rounded(.down)
      return sexagesimal([degrees, first - degrees * 100])
    case 2...3: return sexagesimal(numbers)
    default: return nil
    }
  }

  /// Combines degrees, minutes and perhaps seconds. All but the last must be integers, and all but
  /// the first must be less than 60.
  private static func sexagesimal(_ numbers: [Double]) -> Double? {
    guard numbers.dropLast().allSatisfy({ $0 == $0.rounded() }),
      numbers.dropFirst().allSatisfy({ $0 < 60 })
    else { return nil }
    return ComputedNumber.rounded(numbers.reversed().reduce(0) { $0 / 60 + $1 })
  }
}
