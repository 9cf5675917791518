/// Reads the JSON of one line in one pass, and finds everything that is wrong with it.
///
/// Not a parser of documents: whoever knows what should come calls for it. Nothing here recurses.
///
/// The memory is the caller's: `end` is one past the line's last byte and holds 10 or 13, which no
/// token contains, so that every loop over a token stops there without counting.
struct JSONScanner {
  /// Why a line is not JSON, or not of the kind that gpsd sends.
  enum Fault: Error, Hashable {
    case empty, notAnObject, syntax, invalidText, tooDeep, trailingBytes, noClass
  }

  /// The deepest nesting of a line, its outermost object being 1.
  static let maximumDepth = 32

  /// How many texts and unusual numbers of a line are made into values; no report has as many. What
  /// comes after is absent, so that no line costs more than its length.
  private static let maximumConversions = 4096

  var position: UnsafePointer<UInt8>
  private var conversions = 0
  /// The field that was read last, which tells what to expect next.
  var lastField = FieldOrder.start
  let end: UnsafePointer<UInt8>
  /// One past the last byte that may be loaded; not before `end + 1`.
  let limit: UnsafePointer<UInt8>

  init(
    position: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, limit: UnsafePointer<UInt8>
  ) {
    (self.position, self.end, self.limit) = (position, end, limit)
  }

  /// Whether another costly value may be made of this line.
  mutating func mayConvert() -> Bool {
    conversions += 1
    return conversions <= Self.maximumConversions
  }

  /// The bytes that are not yet read begin with this one; 10 or 13 at the line's end.
  var byte: UInt8 { @inline(__always) get { position.pointee } }

  @inline(__always)
  mutating func skipSpace() {
    guard byte <= 32 else { return }
    while position < end, byte == 32 || byte == 9 || byte == 13 { position += 1 }
  }

  /// Steps over one byte of punctuation and the blanks after it.
  @inline(__always)
  mutating func take(_ punctuation: UInt8) throws(Fault) {
    guard byte == punctuation else { throw .syntax }
    position += 1
    skipSpace()
  }

  /// After a member's value: true when another member follows, false after the closing `bracket`.
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

  /// Makes sure that nothing but blanks is left.
  mutating func finish() throws(Fault) {
    skipSpace()
    guard position >= end else { throw .trailingBytes }
  }

  /// Eight bytes at a place, the first one lowest; zero where no more may be loaded.
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

  /// Eight bytes at a place, the first one lowest; nil where fewer may be loaded.
  @inline(__always)
  func word(at place: UnsafePointer<UInt8>) -> UInt64? {
    limit - place >= 8 ? Self.word(at: place) : nil
  }

  /// The same where the caller knows that all may be loaded.
  @inline(__always)
  static func word(at place: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(place).loadUnaligned(as: UInt64.self))
  }
}
