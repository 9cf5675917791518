/// The cost of reading, so that tests compare a long content with a short one by counts.
struct ReadingCost: Hashable, Sendable {
  /// The bytes that were looked at or copied so far; one that is looked at again counts again.
  var lookedAt = 0
  /// About the bytes that are held at present.
  var held = 0
}
