/// The cost of reading, so that tests compare a long content with a short one by counts.
struct ReadingCost: Hashable, Sendable {
  /// The number of bytes read or copied so far; a byte that is read again counts again.
  var lookedAt = 0
  /// The approximate number of bytes currently held.
  var held = 0
}
