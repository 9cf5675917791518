/// The buffered texts that a format has after other texts of the same points, such as the times of
/// a line after its positions.
struct DeferredTexts: Sendable {
  /// The number of texts after which a line ends and another begins.
  static let capacity = 65_536

  private var texts: [UInt8] = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }
  var isFull: Bool { count >= Self.capacity }

  mutating func append(_ text: String) {
    texts += text.utf8
    count += 1
  }

  /// Returns the texts, and removes them.
  mutating func take() -> [UInt8] {
    defer { (texts, count) = ([], 0) }
    return texts
  }
}
