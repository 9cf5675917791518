/// Splits a byte stream into lines at byte 10.
///
/// A line within one chunk is returned in place; a line that spans chunks is carried over. The
/// memory for carried bytes never exceeds the cap by more than the line's terminator.
struct LineFramer {
  /// A line that was found.
  enum Line: Equatable {
    /// A line in the chunk itself, without its terminator; the byte after it is 10 or 13.
    case inChunk(Range<Int>)
    /// A line that began in an earlier chunk: the first `count` bytes of ``carried``; the byte
    /// after them is 10 or 13.
    case carried(count: Int)
    /// A line longer than the cap, returned once, as soon as the cap is exceeded; its first bytes
    /// are in ``carried``.
    case tooLong
  }

  /// The capacity to keep between lines; more than that is released.
  private static let keptCapacity = 16 * 1024
  private static let excerptLength = 64

  /// The maximum line length in bytes, including a carriage return.
  let cap: Int
  /// The bytes of the last returned line unless it was in its chunk, or the beginning of the next
  /// line.
  private(set) var carried: [UInt8] = []

  private enum State { case carrying, delivered, skipping }
  private var state = State.carrying

  init(cap: Int) {
    precondition(cap > 0, "a cap of \(cap) bytes leaves no room for a line")
    self.cap = cap
  }

  /// Discards an incomplete line, for example after a lost connection.
  mutating func reset() {
    carried = []
    state = .carrying
  }

  /// Returns the next line that ends in the chunk and advances the offset; nil at the chunk's end.
  mutating func next(in chunk: Span<UInt8>, from offset: inout Int) -> Line? {
    if case .delivered = state { recycle() }
    while offset < chunk.count {
      let start = offset
      let rest = chunk.extracting(droppingFirst: start)
      let stop = rest.firstOffset(of: 10).map { start + $0 }
      offset = stop.map { $0 + 1 } ?? chunk.count
      let length = (stop ?? chunk.count) - start
      if case .skipping = state {
        if stop != nil { recycle() }
        continue
      }
      guard carried.count + length <= cap else {
        storeExcerpt(rest.extracting(first: length))
        state = stop == nil ? .skipping : .delivered
        return .tooLong
      }
      guard let stop else {
        append(rest)
        return nil
      }
      if carried.isEmpty {
        let hasReturn = stop > start && chunk[stop - 1] == 13
        return .inChunk(start..<(hasReturn ? stop - 1 : stop))
      }
      append(rest.extracting(first: length + 1))
      state = .delivered
      let count = carried.count - 1
      return .carried(count: count > 0 && carried[count - 1] == 13 ? count - 1 : count)
    }
    return nil
  }

  private mutating func append(_ bytes: Span<UInt8>) {
    let needed = carried.count + bytes.count
    if needed > carried.capacity {
      carried.reserveCapacity(min(max(needed, 2 * carried.capacity), cap + 1))
    }
    carried.append(copying: bytes)
  }

  /// Keeps the first bytes of a line that is too long, independently of how it was split into
  /// chunks.
  private mutating func storeExcerpt(_ bytes: Span<UInt8>) {
    let length = min(Self.excerptLength, cap)  // At least this many bytes have arrived.
    var excerpt = Array(carried.prefix(length))
    excerpt.append(copying: bytes.extracting(first: length - excerpt.count))
    carried = excerpt
  }

  /// Prepares for the next line, and reuses the memory unless it is large.
  private mutating func recycle() {
    if carried.capacity > Self.keptCapacity {
      carried = []
    } else {
      carried.removeAll(keepingCapacity: true)
    }
    state = .carrying
  }
}
