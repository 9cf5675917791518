import AsyncLocation

/// Reads KML's positions: `longitude,latitude` or `longitude,latitude,altitude`, with white space
/// between them. Pure.
struct KMLPositions: Sendable {
  struct Position: Hashable, Sendable {
    let longitude: Double
    let latitude: Double
    let altitude: Double?
    /// Whether the text of the altitude is not a number.
    var hasWrongAltitude = false
  }

  /// The maximum number of bytes of a position.
  private static let longest = 256
  /// The beginning of a position whose end has not been read.
  private var carried: [UInt8] = []

  /// Returns the positions that a part of a list completes; nil for an invalid position.
  mutating func read(_ text: Span<UInt8>, isLast: Bool) -> [Position?] {
    var positions: [Position?] = []
    for index in text.indices {
      let byte = text[index]
      if !byte.isWhiteSpace {
        if carried.count <= Self.longest { carried.append(byte) }
      } else if !carried.isEmpty {
        positions.append(take())
      }
    }
    if isLast, !carried.isEmpty { positions.append(take()) }
    return positions
  }

  private mutating func take() -> Position? {
    defer { carried.removeAll(keepingCapacity: true) }
    guard carried.count <= Self.longest else { return nil }
    return Self.position(carried.span, separator: UInt8(ascii: ","))
  }

  /// Reads one position; nil if its numbers are invalid or out of range.
  static func position(_ text: Span<UInt8>, separator: UInt8) -> Position? {
    let range = text.trimmedRange
    var numbers: [Double] = []
    var hasWrongAltitude = false
    var altitude: Double?
    var (start, count) = (range.lowerBound, 0)
    for index in range.lowerBound...range.upperBound {
      guard index == range.upperBound || text[index] == separator else { continue }
      // Several spaces are one separator.
      if start < index || separator != UInt8(ascii: " ") {
        let part = text.extracting(start..<index)
        switch count {
        case 0, 1:
          guard let number = DecimalNumber.parse(part) else { return nil }
          numbers.append(number)
        case 2: hasWrongAltitude = !RecordedFix.read(part, into: &altitude)
        default: return nil
        }
        count += 1
      }
      start = index + 1
    }
    guard numbers.count >= 2, (-180...180).contains(numbers[0]), (-90...90).contains(numbers[1])
    else { return nil }
    return Position(
      longitude: numbers[0], latitude: numbers[1], altitude: altitude,
      hasWrongAltitude: hasWrongAltitude)
  }
}
