import AsyncLocation
import LocationPublishing

/// The content that is carried over from a deleted file, and the removals that follow the deletion,
/// as the text of the deletion mark.
struct PublicationRemainder {
  /// The last number of the deleted file, after which numbers continue.
  private(set) var lastNumber: UInt64 = 0
  /// The topics on which the broker may retain a message.
  private(set) var retainedTopics: Set<ExactText> = []
  /// The topics whose retained messages are to be removed from the broker, in the order of the
  /// removals. The new file begins with these removals.
  private(set) var removals: [ExactText] = []

  /// The maximum length of the text in bytes.
  private static var byteLimit: Int { 65_536 }

  /// - Parameter publications: The publications that follow the deletion. The removals at their
  ///   beginning are included as far as they fit.
  init(
    lastNumber: UInt64, retainedTopics: Set<ExactText>, then publications: [PendingPublication]
  ) {
    self.lastNumber = lastNumber
    var bytes = 32  // At least the number and the empty line.
    for publication in publications {
      bytes += publication.topic.utf8.count + 1
      guard publication.isRemoval, Self.isLine(publication.topic), bytes < Self.byteLimit else {
        break
      }
      removals.append(ExactText(publication.topic))
    }
    self.retainedTopics = retainedTopics.subtracting(removals)
  }

  /// Whether a topic can be a line of the text. No topic of a device has a line break.
  private static func isLine(_ topic: String) -> Bool {
    !topic.isEmpty && !topic.utf8.contains(UInt8(ascii: "\n"))
  }
}

extension PublicationRemainder: LosslessStringConvertible {
  /// One value per line: the number, the retained topics that fit, an empty line, and the topics of
  /// the removals.
  var description: String {
    let end = removals.reduce("\n") { $0 + "\n" + $1.text }
    var text = "\(lastNumber)"
    for topic in retainedTopics.sorted().map(\.text) where Self.isLine(topic) {
      guard text.utf8.count + topic.utf8.count + end.utf8.count < Self.byteLimit else { continue }
      text += "\n" + topic
    }
    return text + end
  }

  init(_ description: String) {
    let lines = description.utf8
      .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    // A larger number is damage: the numbers after it must fit into the column.
    if let number = lines.first.flatMap({ UInt64($0) }), number < 1 << 62 { lastNumber = number }
    let topics = lines.dropFirst().prefix { !$0.isEmpty }
    if topics.endIndex < lines.endIndex {
      retainedTopics = Set(topics.map(ExactText.init))
      removals = lines[topics.endIndex...].filter { !$0.isEmpty }.map(ExactText.init)
    } else {
      // The mark of an earlier version lists all topics together; they count as removals.
      removals = topics.map(ExactText.init)
    }
  }
}
