/// A first-in, first-out queue in a ring.
///
/// The ring doubles when it is full. An emptied queue keeps a small ring and frees a large one.
@usableFromInline
struct RingQueue<Element> {
  /// Slots that an emptied queue keeps.
  @usableFromInline static var keptCapacity: Int { 16 }

  /// What a slot holds that nothing is in, so that a removed element is freed at once.
  @usableFromInline let vacancy: Element
  /// The number of slots is a power of two. Elements are changed in place: an accessor for the first
  /// one would be a coroutine, which allocates.
  @usableFromInline var slots: [Element]
  /// The slot of the oldest element; of a vacancy when there is none.
  @usableFromInline var head = 0
  @usableFromInline var count = 0

  init(vacancy: Element) { (self.vacancy, slots) = (vacancy, [vacancy]) }

  /// How many elements fit without more memory.
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
