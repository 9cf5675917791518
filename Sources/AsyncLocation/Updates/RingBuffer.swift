/// A first-in, first-out buffer that keeps the newest elements once it is full.
///
/// Grows as needed up to its limit, and keeps its memory when emptied.
struct RingBuffer<Element> {
  let limit: Int
  private var storage: [Element] = []
  private var head = 0
  private(set) var count = 0

  init(limit: Int) { self.limit = limit }

  var isEmpty: Bool { count == 0 }

  /// Appends an element; true when the oldest had to make room for it.
  mutating func append(_ element: Element) -> Bool {
    if storage.count < limit {
      storage.append(element)
      count += 1
      return false
    }
    if count == limit {
      storage[head] = element
      head = head + 1 == limit ? 0 : head + 1
      return true
    }
    let end = head + count
    storage[end < limit ? end : end - limit] = element
    count += 1
    return false
  }

  mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = storage[head]
    head = head + 1 == storage.count ? 0 : head + 1
    count -= 1
    if count == 0 { removeAll() }
    return element
  }

  mutating func removeAll() {
    storage.removeAll(keepingCapacity: true)
    head = 0
    count = 0
  }
}

extension RingBuffer: Sendable where Element: Sendable {}
