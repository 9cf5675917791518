import NMEASentences

/// Selects the sentences from which headings are taken. Pure.
///
/// One talker and type is used at a time: another one replaces it when it has been silent for
/// ``timeout``, or if it is better. A true heading is better than a magnetic one with a variation,
/// and that is better than a magnetic one without.
struct HeadingTalker: Hashable, Sendable {
  private struct Selected: Hashable {
    let address: String
    let rank: Int
    var lastReport: Duration
  }

  /// How long a compass may be silent before another one, or the course, replaces it.
  static let timeout = Duration.seconds(5)

  private var selected: Selected?

  /// Whether a compass has reported recently. While it has, no course is reported as a heading.
  func isActive(at now: Duration) -> Bool {
    selected.map { now - $0.lastReport <= Self.timeout } ?? false
  }

  /// Handles a valid heading. Returns whether it is used.
  mutating func selects(
    _ sentence: NMEASentence, hasTrueHeading: Bool, at now: Duration
  ) -> Bool {
    let address = sentence.talker + sentence.type
    let rank = hasTrueHeading ? Self.rank(sentence.type) : 0
    if let selected, selected.address != address, isActive(at: now), rank <= selected.rank {
      return false
    }
    selected = Selected(address: address, rank: rank, lastReport: now)
    return true
  }

  /// The rank of a type with a true heading.
  private static func rank(_ type: String) -> Int {
    switch type {
    case "HDT", "THS": 2
    case "HDG": 1
    default: 0
    }
  }
}
