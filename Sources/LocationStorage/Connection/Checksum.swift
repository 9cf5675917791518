/// A checksum of a group of values of a row.
///
/// Every step is a bijection of the state, so a change of a single word always changes the
/// checksum: of one number, or of eight consecutive bytes of a text or blob at an offset that is a
/// multiple of eight. The checksum detects accidental damage only: it has no key.
struct Checksum {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  /// The storage classes of SQLite.
  private enum Kind: UInt64 { case null, integer, double, text, bytes }

  /// The checksum of the values so far.
  var value: Int64 { Int64(bitPattern: state) }

  mutating func combineNull() { combine(kind: .null) }

  mutating func combine(_ value: Int64?) {
    guard let value else { return combineNull() }
    combine(kind: .integer)
    combine(word: UInt64(bitPattern: value))
  }

  mutating func combine(_ value: Double?) {
    guard let value else { return combineNull() }
    combine(kind: .double)
    combine(word: (value + 0).bitPattern)  // SQLite does not keep the sign of -0.
  }

  mutating func combine(text: UnsafeRawBufferPointer) {
    combine(kind: .text)
    unsafe combine(words: text)
  }

  mutating func combine(bytes: UnsafeRawBufferPointer) {
    combine(kind: .bytes)
    unsafe combine(words: bytes)
  }

  private mutating func combine(kind: Kind) { combine(word: kind.rawValue) }

  // SAFETY: reads within the bounds of the buffer.
  private mutating func combine(words bytes: UnsafeRawBufferPointer) {
    combine(word: UInt64(bytes.count))
    var offset = 0
    while offset + 8 <= bytes.count {
      combine(
        word: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian)
      offset += 8
    }
    var last: UInt64 = 0
    for index in offset..<bytes.count { last = last << 8 | UInt64(unsafe bytes[index]) }
    combine(word: last)
  }

  @inline(__always)
  private mutating func combine(word: UInt64) {
    state = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
    state ^= state >> 32
  }
}
