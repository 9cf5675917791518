/// A FIFO queue in a ring buffer.
///
/// The ring doubles when it is full. When it becomes empty, a small ring is retained and a large
/// one is released.
@usableFromInline
struct RingQueue<Element> {
  /// The largest number of slots that an empty queue retains.
  @usableFromInline static var keptCapacity: Int { 16 }

  /// The value of empty slots, which releases removed elements immediately.
  @usableFromInline let vacancy: Element
  /// The number of slots is a power of two. Elements are modified in place through `slots`: an
  /// accessor for the first element would be a coroutine, which allocates.
  @usableFromInline var slots: [Element]
  /// The slot of the oldest element, or an empty slot when there is none.
  @usableFromInline var head = 0
  @usableFromInline var count = 0

  init(vacancy: Element) { (self.vacancy, slots) = (vacancy, [vacancy]) }

  /// The number of elements that fit without another allocation.
  var capacity: Int { slots.count }

  @inlinable
  func slot(_ position: Int) -> Int { (head + position) & (slots.count - 1) }

  mutating func append(_ element: Element) {
    if count == slots.count { grow() }
    slots[slot(count)] = element
    count += 1
  }

  /// Removes the oldest element; nil when there is none.
  @inlinable
  mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    var element = vacancy
    swap(&element, &slots[head])
    count -= 1
    head = count == 0 ? 0 : slot(1)
    if count == 0, slots.count > Self.keptCapacity { slots = [vacancy] }
    return element
  }

  private mutating func grow() {
    var larger: [Element] = []
    let capacity = 2 * slots.count
    larger.reserveCapacity(capacity)
    for position in 0..<count { larger.append(slots[slot(position)]) }
    for _ in count..<capacity { larger.append(vacancy) }
    (slots, head) = (larger, 0)
  }
}

extension RingQueue: Sendable where Element: Sendable {}
