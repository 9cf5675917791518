import NMEASentences

/// Recognizes a line whose sentences have no position, such as those of a depth sounder or of AIS.
/// Performs no I/O.
///
/// A sentence that states that there is no fix counts as one with a position.
struct PositionWatch: Hashable, Sendable {
  /// The maximum number of types that a message lists.
  static let maximumTypes = 5

  /// When the first valid sentence without a position arrived, since the source was opened and since
  /// the last position.
  private var since: Duration?
  /// The first types of the sentences since then.
  private(set) var types: [String] = []

  /// Handles the valid sentences of a chunk.
  mutating func received(_ content: SourceReader.Content, at now: Duration) {
    guard content.positions == 0 else {
      self = Self()
      return
    }
    since = since ?? now
    for type in content.types { types.appendType(type) }
  }

  /// Whether there has been no position for a time.
  func lacksPosition(for span: Duration, at now: Duration) -> Bool {
    since.map { now - $0 >= span } ?? false
  }
}

extension [String] {
  /// Appends the type of a sentence, unless it is there or the list is full.
  mutating func appendType(_ type: String) {
    if count < PositionWatch.maximumTypes, !contains(type) { append(type) }
  }
}

extension NMEASentence {
  /// The type in a message, which quotes no other content; nil for a type that does not have three
  /// letters.
  ///
  /// - Parameter isEncapsulated: Whether the sentence begins with `!`.
  func shownType(isEncapsulated: Bool) -> String? {
    if talker == "P" { return "proprietary" }
    if isEncapsulated, type == "VDM" || type == "VDO" { return "AIS" }
    let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
    return type.utf8.count == 3 && type.utf8.allSatisfy(letters.contains) ? type : nil
  }
}
