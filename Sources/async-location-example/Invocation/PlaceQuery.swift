import AsyncLocation
import LocationRecording

/// The point or the name that `place` looks up.
enum PlaceQuery: Hashable, Sendable {
  case point(Coordinate)
  case name(String)

  var isPoint: Bool {
    if case .point = self { true } else { false }
  }

  /// The error for a command line with neither a point nor a name.
  static let missing = UsageError("place needs LAT LON or a NAME", command: .place)

  /// Parses the words after the command. Two numbers, with or without a comma between them, are a
  /// point, and so are degrees, minutes and seconds with letters. Anything else is a name.
  static func parse(_ words: [String]) throws(UsageError) -> Self {
    let name = words.joined(separator: " ")
    // The commas of `48,137 11,575` are decimal points.
    let pair = name.split(separator: " ").map { String($0).replacing(",", with: ".") }
    let hasCommas = pair.count == 2 && pair.allSatisfy { number($0) != nil } && name.contains(",")
    let parts =
      hasCommas && !name.contains(".") && !name.contains(", ") && !name.contains(" ,")
      ? pair : name.split { $0 == " " || $0 == "," }.map(String.init)
    guard !parts.isEmpty else {
      throw missing
    }
    let numbers = parts.compactMap(Self.number)
    guard numbers.count == parts.count else {
      guard let point = CoordinateText.point(name) else { return .name(name) }
      return try Self.point(point.latitude, point.longitude)
    }
    guard numbers.count == 2 else {
      throw UsageError(
        "a point has two numbers, LAT LON, not \(numbers.count)", command: .place)
    }
    return try point(numbers[0], numbers[1])
  }

  private static func point(_ latitude: Double, _ longitude: Double) throws(UsageError) -> Self {
    do throws(LocationError) {
      return .point(try Coordinate(latitude: latitude, longitude: longitude))
    } catch {
      throw UsageError(error.message, command: .place)
    }
  }

  /// The decimal number in a word; nil for other words, such as `Nan`, a city.
  static func number(_ word: String) -> Double? {
    let isNumeric = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "+"):
        true
      default: false
      }
    }
    return isNumeric ? Double(word) : nil
  }
}
