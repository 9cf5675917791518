import AsyncLocation

/// The heading of a sentence HDT, THS, HDG or HDM, before it is validated. Pure.
package struct NMEAHeading: Hashable, Sendable {
  /// Degrees clockwise from true north.
  package private(set) var trueHeading: Double?
  /// Degrees clockwise from magnetic north.
  package private(set) var magneticHeading: Double?

  /// The types of sentences that have a heading.
  package static let types: Set<String> = ["HDT", "THS", "HDG", "HDM"]

  /// Reads a sentence; nil for another type, and without a heading.
  ///
  /// HDG has the reading of a magnetic compass. Its deviation, the error that the vessel's own
  /// iron causes, gives the magnetic heading, and the variation gives the true heading from that.
  /// Without a variation, only the magnetic heading is known.
  package init?(_ sentence: NMEASentence) {
    switch sentence.type {
    case "HDT": trueHeading = sentence.number(1)
    case "THS" where sentence.letter(2) != "V": trueHeading = sentence.number(1)
    case "HDM": magneticHeading = sentence.number(1)
    case "HDG":
      guard let reading = sentence.number(1) else { return nil }
      let magnetic = Self.turned(reading, by: Self.angle(sentence, 2) ?? 0)
      magneticHeading = magnetic
      trueHeading = Self.angle(sentence, 4).map { Self.turned(magnetic, by: $0) }
    default: return nil
    }
    guard trueHeading != nil || magneticHeading != nil else { return nil }
  }

  /// A deviation or variation, positive to the east; nil without a direction.
  private static func angle(_ sentence: NMEASentence, _ field: Int) -> Double? {
    guard let number = sentence.number(field), (0...180).contains(number) else { return nil }
    switch sentence.letter(field + 1) {
    case "E": return number
    case "W": return -number
    default: return nil
    }
  }

  /// A reading outside of 0...360 remains as it is, and is refused as a heading.
  private static func turned(_ reading: Double, by angle: Double) -> Double {
    guard (0...360).contains(reading) else { return reading }
    let sum = reading + angle
    return ComputedNumber.rounded(sum < 0 ? sum + 360 : sum >= 360 ? sum - 360 : sum)
  }
}
