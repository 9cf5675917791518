import AsyncLocation

/// The last number and the topics of a deleted file, as a text in the mark of its deletion.
struct PublicationRemainder {
  /// Numbers go on after a deletion. What the broker keeps of the deleted is not known until
  /// something follows.
  var lastNumber: UInt64 = 0
  /// The broker may keep a message of each.
  var retainedTopics: Set<ExactText> = []

  /// The largest text that is read again.
  static var byteLimit: Int { 65_536 }
}

extension PublicationRemainder: LosslessStringConvertible {
  /// The number and, on a line each, the topics that fit. One with a line break is left out: it is no
  /// device's.
  var description: String {
    var text = "\(lastNumber)"
    for topic in retainedTopics.sorted().map(\.text)
    where !topic.utf8.contains(UInt8(ascii: "\n")) {
      guard text.utf8.count + topic.utf8.count < Self.byteLimit else { continue }
      text += "\n" + topic
    }
    return text
  }

  init(_ description: String) {
    let lines = description.utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) }
    // A larger number is damage: later ones must fit into the column.
    if let number = lines.first.flatMap({ UInt64($0) }), number < 1 << 62 { lastNumber = number }
    retainedTopics = Set(lines.dropFirst().map(ExactText.init))
  }
}
