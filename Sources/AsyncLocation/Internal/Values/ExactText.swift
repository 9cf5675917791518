/// A text that is compared by its UTF-8 bytes, such as a topic or an external name. Strings are
/// equal if they are canonically equivalent, so a set of strings may merge two different topics.
package struct ExactText: Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }
}

extension ExactText: Hashable {
  package static func == (left: Self, right: Self) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: text) }
}

extension ExactText: Comparable {
  package static func < (left: Self, right: Self) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}
