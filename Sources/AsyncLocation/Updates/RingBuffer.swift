/// A first-in, first-out buffer that keeps the newest elements once it is full.
///
/// Grows as needed up to its limit, and keeps its memory when emptied.
@usableFromInline
struct RingBuffer<Element> {
  @usableFromInline let limit: Int
  /// An element that was taken leaves its place at once: what it held is the taker's to free.
  @usableFromInline var storage: [Element?] = []
  @usableFromInline var head = 0
  @usableFromInline var count = 0

  init(limit: Int) { self.limit = limit }

  @inlinable var isEmpty: Bool { count == 0 }
  var isFull: Bool { count == limit }

  /// Appends an element; true when the oldest had to make room for it.
  mutating func append(_ element: Element) -> Bool {
    if count == limit {
      storage[head] = element
      head = head + 1 == limit ? 0 : head + 1
      return true
    }
    let end = head + count
    let index = end < limit ? end : end - limit
    if index == storage.count { storage.append(element) } else { storage[index] = element }
    count += 1
    return false
  }

  // Never inline, so that an element, which is large, has one place in the frame of a loop and not three.
  @inlinable @inline(never)
  mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = storage[head].take()
    count -= 1
    head = count == 0 || head + 1 == limit ? 0 : head + 1
    return element
  }

  mutating func removeAll() {
    storage.removeAll(keepingCapacity: true)
    head = 0
    count = 0
  }
}

extension RingBuffer: Sendable where Element: Sendable {}
