/// The indices of the elements of an array that a subscriber receives, as runs in ascending order.
/// A single run needs no allocation.
struct ElementRuns: Sendable, Hashable {
  private var first: Range<Int>
  private var others: [Range<Int>] = []
  private(set) var count: Int

  init(_ range: Range<Int> = 0..<0) { (first, count) = (range, range.count) }

  /// The indices of an array's elements that satisfy a condition.
  init<Element>(of elements: borrowing [Element], where isIncluded: (borrowing Element) -> Bool) {
    self.init()
    for index in elements.indices where isIncluded(elements[index]) { append(index) }
  }

  /// The indices of the actions that deliver a location.
  init(of actions: [PauseStateMachine.Action]) {
    self.init()
    for index in actions.indices where actions[index].isDelivered { append(index) }
  }

  /// The indices in other runs that satisfy a condition.
  init(of runs: Self, where isIncluded: (Int) -> Bool) {
    self.init()
    runs.visit { range in
      for index in range where isIncluded(index) { append(index) }
    }
  }

  var isEmpty: Bool { count == 0 }

  private mutating func append(_ index: Int) {
    if count == 0 {
      first = index..<index + 1
    } else if let last = others.last {
      if last.upperBound == index {
        others[others.count - 1] = last.lowerBound..<index + 1
      } else {
        others.append(index..<index + 1)
      }
    } else if first.upperBound == index {
      first = first.lowerBound..<index + 1
    } else {
      others.append(index..<index + 1)
    }
    count += 1
  }

  func visit(_ body: (Range<Int>) -> Void) {
    guard !isEmpty else { return }
    body(first)
    for range in others { body(range) }
  }
}
