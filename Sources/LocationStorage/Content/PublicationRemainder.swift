import AsyncLocation
import LocationPublishing

/// The remainder of a deleted file and the removals after it, as a text in its deletion's mark.
struct PublicationRemainder {
  /// Numbers go on after a deletion. The content that the broker keeps of the deleted is not known
  /// until something follows.
  private(set) var lastNumber: UInt64 = 0
  /// The broker may keep a message of each.
  private(set) var retainedTopics: Set<ExactText> = []
  /// The topics whose messages the broker is to forget, in the order of the removals. They are the first
  /// content of the file that follows.
  private(set) var removals: [ExactText] = []

  /// The largest text that is read again.
  private static var byteLimit: Int { 65_536 }

  /// - Parameter publications: Those that follow the deletion. The removals at its beginning that
  ///   fit are taken.
  init(
    lastNumber: UInt64, retainedTopics: Set<ExactText>, then publications: [PendingPublication]
  ) {
    self.lastNumber = lastNumber
    var bytes = 32
    for publication in publications {
      bytes += publication.topic.utf8.count + 1
      guard publication.isRemoval, Self.isLine(publication.topic), bytes < Self.byteLimit else {
        break
      }
      removals.append(ExactText(publication.topic))
    }
    self.retainedTopics = retainedTopics.subtracting(removals)
  }

  /// A topic with a line break is no device's.
  private static func isLine(_ topic: String) -> Bool {
    !topic.isEmpty && !topic.utf8.contains(UInt8(ascii: "\n"))
  }
}

extension PublicationRemainder: LosslessStringConvertible {
  /// The number, on a line each the topics that fit, an empty line, and the topics of the removals.
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
    // A larger number is damage: later ones must fit into the column.
    if let number = lines.first.flatMap({ UInt64($0) }), number < 1 << 62 { lastNumber = number }
    let topics = lines.dropFirst().prefix { !$0.isEmpty }
    if topics.endIndex < lines.endIndex {
      retainedTopics = Set(topics.map(ExactText.init))
      removals = lines[topics.endIndex...].filter { !$0.isEmpty }.map(ExactText.init)
    } else {
      // The mark of an earlier version does not distinguish them.
      removals = topics.map(ExactText.init)
    }
  }
}
