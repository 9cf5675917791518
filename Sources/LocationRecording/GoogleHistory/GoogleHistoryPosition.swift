import AsyncLocation
import FoundationEssentials

/// A position of a location history. Compact, since a path may have many positions. Pure.
struct GoogleHistoryPosition: Sendable {
  /// The time that the position states.
  enum Time: Hashable, Sendable {
    case missing, damaged
    case date(Date)
    /// The minutes since the beginning of the element.
    case minutes(Double)
  }

  /// Coordinates are 32-bit numbers of ten millionths of degrees.
  private static let scale = 1e7
  /// The valid numbers of minutes, up to 19 years.
  private static let minutes = 0.0...1e7

  let line: Int
  var latitude = Double.nan
  var longitude = Double.nan
  var time = Time.missing
  var horizontalAccuracy: Double?

  init(line: Int) { self.line = line }

  /// Sets a member; returns false for a member that only measurements have.
  mutating func set(_ member: GoogleHistorySchema.Member, _ token: JSONToken) -> Bool {
    switch member {
    case .latitude: latitude = Self.degrees(token, limit: 90)
    case .longitude: longitude = Self.degrees(token, limit: 180)
    case .coordinate: setCoordinate(token)
    case .timestamp: time = Self.date(token).map(Time.date) ?? .damaged
    case .milliseconds: time = Self.date(milliseconds: token).map(Time.date) ?? .damaged
    case .minutes:
      // A date takes precedence.
      if case .date = time { return true }
      time = token.decimal.within(Self.minutes).map(Time.minutes) ?? .damaged
    case .accuracy: horizontalAccuracy = token.decimal
    default: return false
    }
    return true
  }

  /// Creates a position from a latitude and a longitude in one text.
  init(coordinate token: JSONToken) {
    self.init(line: token.place.line)
    setCoordinate(token)
  }

  /// Sets the latitude and the longitude from one text.
  mutating func setCoordinate(_ token: JSONToken) {
    guard case .string(let text?) = token.kind, let (latitude, longitude) = Self.coordinate(text)
    else { return }
    (self.latitude, self.longitude) = (latitude, longitude)
  }

  /// Degrees from ten millionths; NaN for an invalid value.
  ///
  /// Exports of 2019 write negative numbers as unsigned 32-bit numbers, 2³² too large. Only these
  /// are corrected.
  static func degrees(_ token: JSONToken, limit: Int64) -> Double {
    guard case .number(let number) = token.kind, var value = number.integer else { return .nan }
    let bound = limit * Int64(scale)
    if value > bound, let unsigned = UInt32(exactly: value) {
      value = Int64(Int32(bitPattern: unsigned))
    }
    return (-bound...bound).contains(value) ? Double(value) / scale : .nan
  }

  /// Reads `48.1371154°, 11.5753822°` and `geo:48.1371154,11.5753822`.
  static func coordinate(_ text: String) -> (latitude: Double, longitude: Double)? {
    let scheme = "geo:"
    let plain = text.hasPrefix(scheme) ? text.dropFirst(scheme.utf8.count) : text[...]
    let parts = plain.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let numbers = parts.compactMap { part -> Double? in
      let text = String(part).trimmed
      return DecimalNumber.parse(text.hasSuffix("°") ? String(text.dropLast()) : text)
    }
    return numbers.count == 2 ? (numbers[0], numbers[1]) : nil
  }

  static func date(_ token: JSONToken) -> Date? {
    if case .string(let text?) = token.kind { CalendarTime.parse(text) } else { nil }
  }

  /// The date of milliseconds since 1970; nil for other tokens, and outside the years 1970 to 9999.
  static func date(milliseconds token: JSONToken) -> Date? {
    let number: Int64? =
      switch token.kind {
      case .number(let number): number.integer
      case .string(let text?): Int64(text)
      default: nil
      }
    guard let milliseconds = number.within(0...253_402_300_799_999) else { return nil }
    return CivilTime.date(
      seconds: Int(milliseconds / 1_000), nanoseconds: Int(milliseconds % 1_000) * 1_000_000)
  }
}

extension JSONToken {
  /// A number, which exports of iOS write as a text; nil for other tokens.
  fileprivate var decimal: Double? {
    switch kind {
    case .number(let number): number.value
    case .string(let text?): DecimalNumber.parse(text)
    default: nil
    }
  }
}

extension RecordedFix {
  /// Sets a member that only measurements have.
  ///
  /// Altitudes are those of Android's `Location.getAltitude()`, above the WGS 84 ellipsoid.
  mutating func set(_ member: GoogleHistorySchema.Member, _ token: JSONToken) {
    switch member {
    case .altitude: ellipsoidalAltitude = token.decimal
    case .verticalAccuracy: verticalAccuracy = token.decimal
    case .speed: speed = token.decimal
    case .course: course = token.decimal
    case .device:
      if case .number(let number) = token.kind { device = number.integer.map { String($0) } }
    default: break
    }
  }
}
