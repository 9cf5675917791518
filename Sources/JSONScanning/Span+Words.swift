extension Span<UInt8> {
  /// Loads eight bytes in little-endian order without a bounds check.
  @unsafe @inlinable @inline(__always)
  package func word(uncheckedAt offset: Int) -> UInt64 {
    unsafe UInt64(
      littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  /// Loads eight bytes in little-endian order; bytes beyond the end are zero.
  @inlinable @inline(__always)
  package func paddedWord(at offset: Int) -> UInt64 {
    // SAFETY: the unchecked load is called only if eight bytes are readable. `lastBytes(from:)`
    // checks the bounds.
    count &- offset >= 8 ? unsafe word(uncheckedAt: offset) : lastBytes(from: offset)
  }

  /// Loads the bytes from an offset to the end, fewer than eight, in little-endian order.
  @usableFromInline
  func lastBytes(from offset: Int) -> UInt64 {
    var word: UInt64 = 0
    var index = count
    while index > offset {
      index &-= 1
      word = word &<< 8 | UInt64(self[index])
    }
    return word
  }
}
