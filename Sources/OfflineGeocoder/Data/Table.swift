/// A section of a file of places: elements of one size, made of little-endian numbers.
///
/// Reading outside the section returns 0, so that a file with wrong indices only causes wrong
/// answers.
@safe
struct Table: @unchecked Sendable {
  // SAFETY: the memory is constant and outlives the table, as `init` requires, and every access is
  // checked against its bounds.
  private let bytes: UnsafeRawBufferPointer
  private let stride: Int
  /// The number of whole elements.
  let count: Int

  /// - Parameters:
  ///   - bytes: Constant memory that outlives the table.
  ///   - stride: The size of an element.
  @unsafe init(_ bytes: UnsafeRawBufferPointer, stride: Int) {
    unsafe self.bytes = bytes
    self.stride = stride
    count = bytes.count / stride
  }

  /// The number in an element, at an offset in bytes from the element's start.
  @inline(__always)
  func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ index: Int, at offset: Int = 0, as type: Number.Type = UInt32.self
  ) -> Number {
    guard index >= 0, index < count else { return 0 }
    return unsafe Number(
      littleEndian: bytes.loadUnaligned(fromByteOffset: index &* stride &+ offset, as: type))
  }

  /// The text at an offset: a byte with its length, then UTF-8. Empty if the section has no such
  /// text.
  func text(_ offset: Int) -> StoredText {
    let length = Int(number(offset, as: UInt8.self))
    guard offset < count, length < count - offset else { return StoredText(self, 0..<0) }
    return StoredText(self, offset + 1..<offset + 1 + length)
  }

  /// The text in a range of bytes of the section.
  func string(_ range: Range<Int>) -> String {
    unsafe String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
  }
}
