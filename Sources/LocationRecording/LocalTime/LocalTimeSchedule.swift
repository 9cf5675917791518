import AsyncLocation

/// A kind of local time: a "local time type" of RFC 8536, section 3.2.
struct LocalTimeType: Sendable, Hashable {
  /// RFC 8536, section 3.2: more than −25 and less than 26 hours.
  private static let offsets = -89_999...93_599
  static let longestAbbreviation = 32

  /// Seconds east of UTC.
  let offset: Int
  let abbreviation: String

  /// Nil for an offset beyond the limits, and for an abbreviation that is empty, too long, or has
  /// characters that RFC 8536, section 3.2, does not allow.
  init?(offset: Int, abbreviation: ArraySlice<UInt8>) {
    guard Self.offsets.contains(offset),
      (1...Self.longestAbbreviation).contains(abbreviation.count),
      abbreviation.allSatisfy(\.isOfAbbreviation)
    else { return nil }
    self.offset = offset
    self.abbreviation = String(decoding: abbreviation, as: UTF8.self)
  }

  private init(offset: Int, text: String) { (self.offset, abbreviation) = (offset, text) }

  static let utc = Self(offset: 0, text: "UTC")
}

/// The local times of a zone, by time in seconds since 1970. Pure.
struct LocalTimeSchedule: Sendable, Hashable {
  struct Transition: Sendable, Hashable {
    /// The first second of the new local time.
    let time: Int
    let type: LocalTimeType
  }

  /// The local time before the first transition.
  let first: LocalTimeType
  /// The transitions in the order of their times, which are distinct.
  let transitions: [Transition]
  /// The rule after the last transition; nil if the last local time remains in force.
  var rule: PosixTimeZone?

  func type(at seconds: Int) -> LocalTimeType {
    // RFC 8536, section 3.3: a rule is for the time after the last transition, or for any time if
    // there is no transition.
    if let rule, transitions.last.map({ seconds > $0.time }) ?? true {
      return rule.type(at: seconds)
    }
    let count = transitionCount(upTo: seconds)
    return count == 0 ? first : transitions[count - 1].type
  }

  /// The number of transitions at or before a time.
  private func transitionCount(upTo seconds: Int) -> Int {
    var range = 0..<transitions.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range =
        transitions[middle].time <= seconds
        ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }
}

extension UInt8 {
  /// Whether the byte is a letter of ASCII.
  var isLetter: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self & 0xDF) }

  /// Whether the byte may be in an abbreviation of a local time.
  var isOfAbbreviation: Bool {
    isLetter || isDigit || self == UInt8(ascii: "+") || self == UInt8(ascii: "-")
  }
}
