/// The number of elements delivered to subscribers, and how many of those were dropped unread.
@usableFromInline
package struct Tally: Sendable, Hashable {
  package var delivered: UInt64 = 0
  package var dropped: UInt64 = 0

  package static func += (total: inout Self, part: Self) {
    total.delivered += part.delivered
    total.dropped += part.dropped
  }
}
