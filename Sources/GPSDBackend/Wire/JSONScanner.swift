/// Reads the JSON of one line in a single pass and reports every error in it.
///
/// It is not a document parser: the caller requests the values that it expects. Nothing here
/// recurses.
///
/// The caller owns the memory: `end` is one past the line's last byte and holds 10 or 13. No token
/// contains these, so every loop over a token stops there without a bounds check.
struct JSONScanner {
  /// Why a line is not JSON, or not JSON as gpsd sends it.
  enum Fault: Error, Hashable {
    case empty, notAnObject, syntax, invalidText, tooDeep, trailingBytes, noClass
  }

  /// The maximum nesting depth of a line; its outermost object has depth 1.
  static let maximumDepth = 32

  /// The maximum number of texts and unusual numbers of a line that are converted to values; no
  /// report has as many. Further ones are treated as absent, so that the cost of a line is
  /// proportional to its length.
  private static let maximumConversions = 4096

  var position: UnsafePointer<UInt8>
  private var conversions = 0
  /// The field that was read last; used to predict the next one.
  var lastField = FieldOrder.start
  let end: UnsafePointer<UInt8>
  /// One past the last readable byte; at least `end + 1`.
  let limit: UnsafePointer<UInt8>

  init(
    position: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, limit: UnsafePointer<UInt8>
  ) {
    (self.position, self.end, self.limit) = (position, end, limit)
  }

  /// Returns whether another costly value of this line may be converted.
  mutating func mayConvert() -> Bool {
    conversions += 1
    return conversions <= Self.maximumConversions
  }

  /// The next byte; 10 or 13 at the end of the line.
  var byte: UInt8 { @inline(__always) get { position.pointee } }

  @inline(__always)
  mutating func skipSpace() {
    guard byte <= 32 else { return }
    while position < end, byte == 32 || byte == 9 || byte == 13 { position += 1 }
  }

  /// Skips one byte of punctuation and the whitespace after it.
  @inline(__always)
  mutating func take(_ punctuation: UInt8) throws(Fault) {
    guard byte == punctuation else { throw .syntax }
    position += 1
    skipSpace()
  }

  /// Reads the separator after a member's value: returns true if another member follows, and false
  /// after the closing `bracket`.
  @inline(__always)
  mutating func takeSeparator(or bracket: UInt8) throws(Fault) -> Bool {
    skipSpace()
    if byte == UInt8(ascii: ",") {
      position += 1
      skipSpace()
      return true
    }
    guard byte == bracket else { throw .syntax }
    position += 1
    return false
  }

  /// Checks that only whitespace is left.
  mutating func finish() throws(Fault) {
    skipSpace()
    guard position >= end else { throw .trailingBytes }
  }

  /// Loads eight bytes in little-endian order; bytes beyond the limit are zero.
  @inline(__always)
  static func load(_ place: UnsafePointer<UInt8>, _ limit: UnsafePointer<UInt8>) -> UInt64 {
    limit - place >= 8 ? word(at: place) : bytes(from: place, to: limit)
  }

  @inline(never)
  private static func bytes(
    from place: UnsafePointer<UInt8>, to limit: UnsafePointer<UInt8>
  ) -> UInt64 {
    var word: UInt64 = 0
    for offset in 0..<max(0, min(8, limit - place)) {
      word |= UInt64(place[offset]) << UInt64(8 * offset)
    }
    return word
  }

  /// Loads eight bytes in little-endian order; nil if fewer are readable.
  @inline(__always)
  func word(at place: UnsafePointer<UInt8>) -> UInt64? {
    limit - place >= 8 ? Self.word(at: place) : nil
  }

  /// Loads eight bytes in little-endian order; all must be readable.
  @inline(__always)
  static func word(at place: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(place).loadUnaligned(as: UInt64.self))
  }
}
