extension AsyncSequence {
  /// The first elements, or fewer if the sequence ends.
  package func first(_ count: Int) async throws -> [Element] {
    var elements: [Element] = []
    guard count > 0 else { return elements }
    for try await element in self {
      elements.append(element)
      if elements.count == count { break }
    }
    return elements
  }
}
