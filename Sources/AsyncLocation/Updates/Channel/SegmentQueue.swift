/// The elements buffered for one subscriber: runs of elements in arrays that it shares with others.
///
/// The queue retains the newest elements, up to its bound. An array is retained while one of its
/// elements is buffered. When the retained arrays contain more than ``pinnedFactor`` times as many
/// elements as the bound (for a bound in bytes: as are buffered), the buffered elements are copied
/// into new arrays. This bounds the memory that a slow subscriber retains.
@usableFromInline
struct SegmentQueue<Element> {
  /// A run of one array's elements, all made under one permission.
  @usableFromInline
  struct Segment {
    @usableFromInline let elements: [Element]
    @usableFromInline var start: UInt32
    @usableFromInline let end: UInt32
    @usableFromInline let stamp: DeliveryStamp

    init(_ elements: [Element], _ range: Range<Int>, _ stamp: DeliveryStamp) {
      self.elements = elements
      (start, end) = (UInt32(range.lowerBound), UInt32(range.upperBound))
      self.stamp = stamp
    }

    @inlinable var range: Range<Int> { Int(start)..<Int(end) }
    @inlinable var count: Int { Int(end - start) }
  }

  /// The maximum size of the buffer. One element is always allowed.
  @usableFromInline
  enum Bound {
    case count(Int)
    /// Bytes of memory, with `cost` as the size of an element.
    case bytes(Int, cost: @Sendable (borrowing Element) -> Int)
  }

  /// The largest number of elements in the retained arrays for each element of the bound.
  static var pinnedFactor: Int { 2 }
  /// The number of elements that may be retained with any bound: copying fewer is not worth the
  /// cost.
  static var pinnedAllowance: Int { 16 }

  @usableFromInline let bound: Bound
  @usableFromInline var segments: RingQueue<Segment>
  /// The number of buffered elements.
  @usableFromInline var count = 0
  /// The bytes of the buffered elements; only counted if the bound is in bytes.
  @usableFromInline var bytes = 0
  /// The number of elements in the retained arrays. An array counts once for each of its segments.
  @usableFromInline var pinned = 0

  init(_ bound: Bound) {
    self.bound = bound
    segments = Self.emptySegments
  }

  private static var emptySegments: RingQueue<Segment> {
    RingQueue(vacancy: Segment([], 0..<0, .unrestricted))
  }

  @inlinable var isEmpty: Bool { count == 0 }

  /// The number of segments that fit into the allocated memory.
  var capacity: Int { segments.capacity }

  // MARK: Adding

  /// Appends a run of an array.
  ///
  /// - Parameter retire: Receives each evicted segment, so that the caller releases it.
  /// - Returns: The number of dropped elements.
  mutating func append(
    _ elements: [Element], _ range: Range<Int>, _ stamp: DeliveryStamp,
    retire: (Segment) -> Void = { _ in }
  ) -> Int {
    let admitted = admitted(range, of: elements)
    guard !admitted.isEmpty else { return 0 }
    let before = count
    // Evict before appending, so that the ring does not grow beyond the bound.
    makeRoom(for: admitted, of: elements, retire)
    let dropped = before - count + range.count - admitted.count
    segments.append(Segment(elements, admitted, stamp))
    count += admitted.count
    pinned += elements.count
    if pinsTooMuch { copyOut(retire) }
    return dropped
  }

  /// Whether the buffered elements and a number of new ones fit into half of the buffer. For a
  /// bound in bytes, whether the buffered elements fill less than half.
  func hasRoomInHalf(for number: Int) -> Bool {
    switch bound {
    case .count(let limit): count + number <= max(1, limit / 2)
    case .bytes(let limit, _): bytes < limit / 2
    }
  }

  /// The newest elements of a run that the bound admits, at least one.
  private func admitted(_ range: Range<Int>, of elements: [Element]) -> Range<Int> {
    switch bound {
    case .count(let limit):
      return max(range.lowerBound, range.upperBound - limit)..<range.upperBound
    case .bytes(let limit, let cost):
      var (start, bytes) = (range.upperBound, 0)
      while start > range.lowerBound {
        bytes += cost(elements[start - 1])
        if bytes > limit, start < range.upperBound { break }
        start -= 1
      }
      return start..<range.upperBound
    }
  }

  /// Whether to copy the buffered elements. Each copy at least halves the retained elements, so no
  /// more elements are copied than arrived.
  private var pinsTooMuch: Bool {
    guard pinned > Self.pinnedAllowance else { return false }
    return switch bound {
    case .count(let limit): pinned / Self.pinnedFactor > limit
    case .bytes: pinned / Self.pinnedFactor > count
    }
  }

  /// Evicts the oldest elements until a run fits. With a bound in bytes, counts the run's bytes.
  @inline(__always)
  private mutating func makeRoom(
    for range: Range<Int>, of elements: [Element], _ retire: (Segment) -> Void
  ) {
    switch bound {
    case .count(let limit):
      while count + range.count > limit, count > 0 {
        dropFirst(count + range.count - limit, retire)
      }
    case .bytes(let limit, let cost):
      for index in range { bytes += cost(elements[index]) }
      while bytes > limit, count > 0 { dropFirst(1, retire) }
    }
  }

  /// Drops at most `most` elements of the oldest segment.
  private mutating func dropFirst(_ most: Int, _ retire: (Segment) -> Void) {
    let dropped = min(most, segments.slots[segments.head].count)
    removeOldest(dropped)
    if segments.slots[segments.head].count == 0 { removeFirstSegment(retire) }
  }

  /// Removes the oldest elements from the first segment, which stays in the queue.
  @inlinable @inline(__always)
  mutating func removeOldest(_ number: Int) {
    count -= number
    if case .bytes(_, let cost) = bound {
      for index in segments.slots[segments.head].range.prefix(number) {
        bytes -= cost(segments.slots[segments.head].elements[index])
      }
    }
    segments.slots[segments.head].start += UInt32(number)
  }

  /// Removes the oldest segment, whose elements are no longer counted.
  @inlinable
  mutating func removeFirstSegment(_ retire: (Segment) -> Void) {
    guard let segment = segments.popFirst() else { return }
    pinned -= segment.elements.count
    retire(segment)
  }

  /// Copies the buffered elements into new arrays, one for each run of equal stamps.
  private mutating func copyOut(_ retire: (Segment) -> Void) {
    var copies = Self.emptySegments
    var elements: [Element] = []
    elements.reserveCapacity(count)
    var stamp = segments.slots[segments.head].stamp
    func seal() { copies.append(Segment(elements, elements.indices, stamp)) }
    while let segment = segments.popFirst() {
      if segment.stamp != stamp {
        seal()
        (elements, stamp) = ([], segment.stamp)
      }
      elements += segment.elements[segment.range]
      retire(segment)
    }
    seal()
    (segments, pinned) = (copies, count)
  }

  // MARK: Taking

  /// The stamp of the next element; unrestricted when there is none.
  @inlinable var stamp: DeliveryStamp { segments.slots[segments.head].stamp }

  /// Takes the oldest element, if there is one.
  ///
  /// - Returns: The element's segment if it is now empty.
  @inlinable @inline(__always)
  mutating func popFirst(into element: inout Element?) -> Segment? {
    guard count > 0 else { return nil }
    element = segments.slots[segments.head].elements[Int(segments.slots[segments.head].start)]
    removeOldest(1)
    guard segments.slots[segments.head].count == 0 else { return nil }
    var emptied: Segment?
    removeFirstSegment { emptied = $0 }
    return emptied
  }

  /// Removes and returns the rest of the oldest segment.
  mutating func popSegment() -> Segment? {
    guard count > 0 else { return nil }
    let segment = segments.slots[segments.head]
    removeOldest(segment.count)
    removeFirstSegment { _ in }
    return segment
  }

  /// Removes and returns the segments whose stamp satisfies `isWithdrawn`.
  mutating func remove(where isWithdrawn: (DeliveryStamp) -> Bool) -> [Segment] {
    var removed: [Segment] = []
    // Each segment is removed or moved to the end, so the remaining ones keep their order.
    for _ in 0..<segments.count {
      let segment = segments.slots[segments.head]
      if isWithdrawn(segment.stamp) {
        removeOldest(segment.count)
        removeFirstSegment { _ in }
        removed.append(segment)
      } else {
        _ = segments.popFirst()
        segments.append(segment)
      }
    }
    return removed
  }
}

extension SegmentQueue.Segment: Sendable where Element: Sendable {}
extension SegmentQueue.Bound: Sendable where Element: Sendable {}
extension SegmentQueue: Sendable where Element: Sendable {}
