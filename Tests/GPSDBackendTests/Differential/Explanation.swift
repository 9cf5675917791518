import Foundation

@testable import GPSDBackend

/// Why libgps 3.22 reads something differently. Documentation/LibGPS.md has each by its number.
enum Explanation: String, CaseIterable {
  case hangs = "G1"
  case drops = "G2"
  case defaults = "G3"
  case lastDigits = "G4"
  case swappedErrors = "G5"
  case velocityAsRelative = "G6"
  case emptyTimeOffset = "G7"
  case cycleBits = "G8"
  case fieldUnknown = "G9"
  case outOfRange = "G10"
  case givesUp = "G11"
  case badTimes = "G12"
  case cutTexts = "G13"

  /// A line with what we made of it.
  struct Line {
    let report: GPSDReport
    let text: String
    let ours: [String: Any]
  }

  /// A field's two values.
  struct Pair {
    let name: String
    let key: String
    let ours: Any?
    let theirs: Any?
    let allOurs: [String: Any]
    let allTheirs: [String: Any]

    var lists: ([[String: Any]], [[String: Any]])? {
      guard let left = ours as? [[String: Any]], let right = theirs as? [[String: Any]] else {
        return nil
      }
      return (left, right)
    }

    /// Both as numbers; a time is its seconds since 1970.
    var numbers: (Double, Double)? {
      guard let left = Self.number(ours), let right = Self.number(theirs) else { return nil }
      return (left, right)
    }

    static func number(_ value: Any?) -> Double? {
      if let number = value as? NSNumber { return number.doubleValue }
      guard let text = value as? String, let seconds = ReportTime.seconds(text) else { return nil }
      return Date(timeIntervalSinceReferenceDate: seconds).timeIntervalSince1970
    }

    var isEqual: Bool {
      if let left = ours as? String, let right = theirs as? String { return left == right }
      guard let (left, right) = numbers else { return false }
      // Seconds since 1970 and since 2001 differ in what a double holds of them.
      return ours is String ? abs(left - right) < 1e-6 : left == right
    }
  }

  /// Why there is nothing to compare in a line; nil when there is.
  static func refusal(_ line: Line, _ answer: LibGPSParser.Answer) -> Explanation? {
    switch answer {
    case .hang: return .hangs
    case .crash: return nil
    case .values(let theirs):
      let set = (theirs["set"] as? NSNumber)?.int64Value ?? 0
      if set == 0 { return .drops }
      return nil
    }
  }

  static func of(_ pair: Pair) -> Explanation? {
    nil
  }
}
