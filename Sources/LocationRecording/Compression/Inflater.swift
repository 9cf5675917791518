import CZlib

/// Decompresses with zlib, one piece at a time.
///
/// Not thread-safe, and confined to its reader. The stream has a fixed address, to which zlib's
/// state refers.
// SAFETY: zlib's stream is created and freed by this object, and used by nothing else.
@safe final class Inflater {
  /// The format of the input. The raw values are zlib's `windowBits`: 15 for a window of 32 KiB,
  /// plus 16 for gzip, negative without a header.
  enum Format: Int32 {
    case gzip = 31
    /// Deflate without a header, as in ZIP.
    case raw = -15
  }

  struct Piece {
    let bytes: [UInt8]
    /// The number of bytes of the input that were used.
    let consumed: Int
    let hasEnded: Bool
    /// Whether the input is damaged after these bytes.
    let isDamaged: Bool
  }

  /// The maximum number of bytes of a piece.
  static let pieceLength = 1 << 16

  private let stream: UnsafeMutablePointer<z_stream>

  init(_ format: Format) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let status = unsafe inflateInit2_(
      stream, format.rawValue, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else { fatalError("out of memory") }
  }

  deinit {
    _ = unsafe inflateEnd(stream)
    unsafe stream.deinitialize(count: 1)
    unsafe stream.deallocate()
  }

  static let damaged = RecordingError(
    .malformed, "the compressed content is damaged; copy the file again")

  /// Continues a CRC-32, the checksum of ZIP.
  static func checksum(of bytes: [UInt8], after checksum: UInt) -> UInt {
    unsafe crc32(checksum, bytes, UInt32(bytes.count))
  }

  /// Begins another member of a file.
  func reset() { _ = unsafe inflateReset(stream) }

  /// Decompresses the next piece. An empty piece that is neither the end nor damaged needs more
  /// input.
  func next(_ input: ArraySlice<UInt8>) -> Piece {
    var status = Z_OK
    var consumed = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceLength) { buffer, count in
      unsafe input.withUnsafeBufferPointer { source in
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
        // Input beyond zlib's 32-bit count is left for the next piece.
        let available = UInt32(clamping: source.count)
        unsafe stream.pointee.avail_in = available
        unsafe stream.pointee.next_out = buffer.baseAddress
        unsafe stream.pointee.avail_out = UInt32(buffer.count)
        status = unsafe inflate(stream, Z_NO_FLUSH)
        consumed = unsafe Int(available - stream.pointee.avail_in)
        count = unsafe buffer.count - Int(stream.pointee.avail_out)
        unsafe (stream.pointee.next_in, stream.pointee.next_out) = (nil, nil)
      }
    }
    // A lack of input or of output space is not an error.
    return Piece(
      bytes: bytes, consumed: consumed, hasEnded: status == Z_STREAM_END,
      isDamaged: ![Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(status))
  }
}
