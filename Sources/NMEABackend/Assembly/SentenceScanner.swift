/// Finds the sentences in the bytes of a source. Pure.
///
/// A sentence begins with `$` or `!` and ends with its line, or with the datagram. All other bytes,
/// such as UBX or RTCM messages, are counted and skipped. At most ``maximumLength`` bytes are held.
struct SentenceScanner: Sendable {
  /// A part of the bytes.
  enum Part: Hashable, Sendable {
    /// A line from its `$` or `!` to the byte before its end.
    case sentence
    /// The beginning of a sentence that does not end, or that contains a byte that is not printable
    /// ASCII.
    case fragment
  }

  /// A sentence has at most 82 characters; some receivers exceed this.
  static let maximumLength = 256
  private static let maximumExcerpt = 40

  private var held: [UInt8] = []
  private var isInside = false
  /// The number of bytes outside of sentences so far.
  private(set) var otherBytes = 0
  /// The first bytes outside of sentences since ``forgetExcerpt()``.
  private(set) var excerpt: [UInt8] = []

  mutating func forgetExcerpt() { if !excerpt.isEmpty { excerpt = [] } }

  /// Discards a sentence that has not ended.
  mutating func reset() { (held, isInside) = ([], false) }

  /// Passes the parts that these bytes complete to `handle`.
  ///
  /// - Parameter handle: The bytes are valid during the call.
  mutating func scan(_ bytes: Span<UInt8>, _ handle: (Part, ArraySlice<UInt8>) -> Void) {
    for index in bytes.indices { scan(bytes[index], handle) }
  }

  /// Handles the end of a datagram, which also ends a sentence.
  mutating func finish(_ handle: (Part, ArraySlice<UInt8>) -> Void) {
    if isInside { end(.sentence, handle) }
  }

  private mutating func scan(_ byte: UInt8, _ handle: (Part, ArraySlice<UInt8>) -> Void) {
    switch byte {
    case UInt8(ascii: "$"), UInt8(ascii: "!"):
      if isInside { end(.fragment, handle) }
      isInside = true
      held.append(byte)
    case 10, 13:
      if isInside { end(.sentence, handle) }
    case 0x20...0x7E where isInside && held.count < Self.maximumLength:
      held.append(byte)
    default:
      if isInside { end(.fragment, handle) }
      addOther(byte)
    }
  }

  private mutating func end(_ part: Part, _ handle: (Part, ArraySlice<UInt8>) -> Void) {
    handle(part, held[...])
    isInside = false
    held.removeAll(keepingCapacity: true)
  }

  private mutating func addOther(_ byte: UInt8) {
    otherBytes += 1
    if excerpt.count < Self.maximumExcerpt { excerpt.append(byte) }
  }
}
