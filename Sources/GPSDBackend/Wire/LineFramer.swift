#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Cuts a stream of bytes into lines at byte 10.
///
/// A line that lies within one chunk is handed out where it lies; one that a chunk's end cuts is
/// carried over. The memory for that never exceeds the cap by more than the line's end.
struct LineFramer {
  /// What was found, in order.
  enum Line: Equatable {
    /// A line in the chunk itself, without its end; the byte after it is 10 or 13.
    case inChunk(Range<Int>)
    /// A line that began in an earlier chunk: the first `count` bytes of ``carried``; the byte
    /// after them is 10 or 13.
    case carried(count: Int)
    /// A line beyond the cap, told once as soon as that is known; its first bytes are ``carried``.
    case tooLong
  }

  /// A capacity that is worth keeping from line to line; what a longer line took is given back.
  private static let keptCapacity = 16 * 1024
  private static let excerptLength = 64

  /// The longest line in bytes, a carriage return included.
  let cap: Int
  /// The bytes of the line that was returned last, or the beginning of the next.
  private(set) var carried: [UInt8] = []

  private enum State { case carrying, delivered, skipping }
  private var state = State.carrying

  init(cap: Int) {
    precondition(cap > 0, "a cap of \(cap) bytes leaves no room for a line")
    self.cap = cap
  }

  /// Forgets a line that was begun, as after a lost connection.
  mutating func reset() {
    carried = []
    state = .carrying
  }

  /// Finds the next line that ends in a chunk, from an offset on, which it advances; nil when the
  /// chunk is used up.
  mutating func next(in chunk: UnsafeRawBufferPointer, from offset: inout Int) -> Line? {
    if case .delivered = state { recycle() }
    while offset < chunk.count, let base = chunk.baseAddress {
      let start = offset
      let found = memchr(base + start, 10, chunk.count - start)
      let stop = found.map { UnsafeRawPointer($0) - base }
      offset = stop.map { $0 + 1 } ?? chunk.count
      let length = (stop ?? chunk.count) - start
      if case .skipping = state {
        if stop != nil { recycle() }
        continue
      }
      guard carried.count + length <= cap else {
        keepExcerpt(chunk[start..<start + length])
        state = stop == nil ? .skipping : .delivered
        return .tooLong
      }
      guard let stop else {
        append(chunk[start..<start + length])
        return nil
      }
      if carried.isEmpty {
        let hasReturn = stop > start && chunk[stop - 1] == 13
        return .inChunk(start..<(hasReturn ? stop - 1 : stop))
      }
      append(chunk[start...stop])
      state = .delivered
      let count = carried.count - 1
      return .carried(count: count > 0 && carried[count - 1] == 13 ? count - 1 : count)
    }
    return nil
  }

  private mutating func append(_ bytes: Slice<UnsafeRawBufferPointer>) {
    let needed = carried.count + bytes.count
    if needed > carried.capacity {
      carried.reserveCapacity(min(max(needed, 2 * carried.capacity), cap + 1))
    }
    carried.append(contentsOf: bytes)
  }

  /// Leaves the first bytes of a line that is too long, whatever the chunks it came in.
  private mutating func keepExcerpt(_ bytes: Slice<UnsafeRawBufferPointer>) {
    let length = min(Self.excerptLength, cap)  // So much has come for certain.
    var excerpt = Array(carried.prefix(length))
    excerpt.append(contentsOf: bytes.prefix(length - excerpt.count))
    carried = excerpt
  }

  private mutating func recycle() {
    if carried.capacity > Self.keptCapacity {
      carried = []
    } else {
      carried.removeAll(keepingCapacity: true)
    }
    state = .carrying
  }
}
