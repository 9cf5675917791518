/// A binary heap of elements, ordered by priority, lowest first.
struct PriorityQueue<Element: Sendable>: Sendable {
  struct Entry: Sendable {
    let priority: Double
    let element: Element
  }

  private var heap: [Entry] = []

  var count: Int { heap.count }
  var first: Entry? { heap.first }

  mutating func add(_ element: Element, at priority: Double) {
    heap.append(Entry(priority: priority, element: element))
    var index = heap.count - 1
    while index > 0, heap[index].priority < heap[(index - 1) / 2].priority {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func popFirst() -> Entry? {
    guard let first = heap.first else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var index = 0
    while case let child = 2 * index + 1, child < heap.count {
      let right = child + 1
      let least =
        right < heap.count && heap[right].priority < heap[child].priority ? right : child
      guard heap[least].priority < heap[index].priority else { break }
      heap.swapAt(index, least)
      index = least
    }
    return first
  }

  mutating func removeAll() { heap.removeAll(keepingCapacity: true) }

  mutating func removeAll(where shouldBeRemoved: (Entry) -> Bool) {
    heap.removeAll(where: shouldBeRemoved)
    heap.sort { $0.priority < $1.priority }  // A sorted array is a heap.
  }
}
