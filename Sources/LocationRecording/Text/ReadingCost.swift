/// The cost of reading as counts, by which tests compare long content with short content.
struct ReadingCost: Hashable, Sendable {
  /// The number of bytes read or copied so far; a byte that is read again counts again.
  var processed = 0
  /// The approximate number of bytes currently held.
  var held = 0
}
