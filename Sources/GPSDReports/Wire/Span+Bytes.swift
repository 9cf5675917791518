#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The decoder's operations on several bytes at once.
extension Span<UInt8> {
  /// Loads eight bytes in little-endian order.
  @inline(__always)
  func word(at offset: Int) -> UInt64 {
    // SAFETY: the load checks its bounds, and every bit pattern is a UInt64.
    unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Returns the offset of the first byte with this value; nil if there is none.
  func firstOffset(of byte: UInt8) -> Int? {
    // SAFETY: the pointer does not leave the closure, and the search ends at the count.
    unsafe withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return nil }
      guard let found = unsafe memchr(start, Int32(byte), buffer.count) else { return nil }
      return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(start)
    }
  }

  func elementsEqual(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    // SAFETY: the pointers do not leave the closures, and both have this many bytes.
    return unsafe withUnsafeBytes { bytes in
      unsafe other.withUnsafeBytes { others in
        guard let start = bytes.baseAddress, let other = others.baseAddress else { return true }
        return unsafe memcmp(start, other, bytes.count) == 0
      }
    }
  }

  func elementsEqual(_ text: String) -> Bool { elementsEqual(text.utf8.span) }
}

extension [UInt8] {
  init(copying bytes: Span<UInt8>) {
    // SAFETY: the pointer does not leave the closure.
    self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
  }

  @inlinable @inline(__always)
  package mutating func append(copying bytes: Span<UInt8>) {
    // SAFETY: the pointer does not leave the closure.
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
