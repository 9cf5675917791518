/// How many elements entered channels, and how many older ones made room for them unread.
struct Tally: Sendable, Hashable {
  var delivered: UInt64 = 0
  var dropped: UInt64 = 0

  static func += (total: inout Self, part: Self) {
    total.delivered += part.delivered
    total.dropped += part.dropped
  }
}
