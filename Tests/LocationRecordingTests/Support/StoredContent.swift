@testable import LocationRecording

/// Content in uncompressed blocks, as in gzip and ZIP: RFC 1951, section 3.2.4.
enum StoredContent {
  /// A gzip file: RFC 1952.
  static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF] + blocks(bytes) + word(checksum(bytes), 4)
      + word(bytes.count, 4)
  }

  /// A ZIP archive of one file, without its central directory: PKWARE's APPNOTE, section 4.3.7.
  static func archive(_ bytes: [UInt8], named name: String) -> [UInt8] {
    let content = blocks(bytes)
    var header: [UInt8] = [0x50, 0x4B, 3, 4, 20, 0, 0, 0, 8, 0, 0, 0, 0, 0]
    header += word(checksum(bytes), 4) + word(content.count, 4) + word(bytes.count, 4)
    return header + word(name.utf8.count, 2) + [0, 0] + Array(name.utf8) + content
  }

  private static func blocks(_ bytes: [UInt8]) -> [UInt8] {
    let length = 0xFFFF
    var blocks: [UInt8] = []
    for first in stride(from: 0, to: max(bytes.count, 1), by: length) {
      let block = bytes[first..<min(first + length, bytes.count)]
      blocks.append(first + length >= bytes.count ? 1 : 0)
      blocks += word(block.count, 2) + word(~block.count, 2) + block
    }
    return blocks
  }

  private static func checksum(_ bytes: [UInt8]) -> Int {
    Int(Inflater.checksum(of: bytes, after: 0))
  }

  private static func word(_ value: Int, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
