/// Converts UTF-16 to UTF-8, and removes the byte order mark at the start. Leaves other bytes as
/// they are.
///
/// Without a mark, UTF-16 is recognized by the zero byte of its first character.
struct TextTranscoder {
  private enum Encoding { case undecided, binary, bytes, littleEndian, bigEndian }

  private var encoding = Encoding.undecided
  /// Bytes of undecided encoding, fewer than ``decidingCount``, or the first byte of a UTF-16 unit.
  private var carried: [UInt8] = []
  private var highSurrogate: UInt16?
  private let decidingCount: Int
  private let recognizesBinary: @Sendable ([UInt8]) -> Bool

  /// - Parameters:
  ///   - decidingCount: The number of leading bytes that determine the encoding; at least 3.
  ///   - recognizesBinary: Returns whether content that begins with the given bytes is binary. It
  ///     gets at least `decidingCount` bytes, or all bytes of shorter content.
  init(decidingCount: Int, recognizesBinary: @escaping @Sendable ([UInt8]) -> Bool) {
    (self.decidingCount, self.recognizesBinary) = (decidingCount, recognizesBinary)
  }

  /// Whether the content is binary, so that nothing is converted.
  var isBinary: Bool { encoding == .binary }

  /// Whether the bytes were UTF-16, so that a declared encoding no longer applies.
  var hasConverted: Bool { encoding == .littleEndian || encoding == .bigEndian }

  /// Returns the text of these bytes in UTF-8, as far as the encoding is decided and the characters
  /// are complete.
  mutating func convert(_ bytes: [UInt8]) -> [UInt8] {
    if encoding == .bytes || encoding == .binary { return bytes }
    carried += bytes
    guard encoding != .undecided || carried.count >= decidingCount else { return [] }
    return flush()
  }

  /// Returns the rest at the end of the content. An incomplete character becomes U+FFFD.
  mutating func finish() -> [UInt8] {
    var rest = flush()
    if !carried.isEmpty || highSurrogate != nil { rest += Array("\u{FFFD}".utf8) }
    (carried, highSurrogate) = ([], nil)
    return rest
  }

  private mutating func flush() -> [UInt8] {
    if encoding == .undecided { decide() }
    switch encoding {
    case .undecided, .binary, .bytes:
      defer { carried = [] }
      return carried
    case .littleEndian: return convertUnits { UInt16($0) | UInt16($1) << 8 }
    case .bigEndian: return convertUnits { UInt16($0) << 8 | UInt16($1) }
    }
  }

  private mutating func decide() {
    encoding = .bytes
    if recognizesBinary(carried) {
      encoding = .binary
    } else if carried.starts(with: [0xEF, 0xBB, 0xBF]) {
      carried.removeFirst(3)
    } else if carried.starts(with: [0xFF, 0xFE]) {
      encoding = .littleEndian
      carried.removeFirst(2)
    } else if carried.starts(with: [0xFE, 0xFF]) {
      encoding = .bigEndian
      carried.removeFirst(2)
    } else if carried.count >= 2, carried[0] != 0, carried[1] == 0 {
      encoding = .littleEndian
    } else if carried.count >= 2, carried[0] == 0, carried[1] != 0 {
      encoding = .bigEndian
    }
  }

  private mutating func convertUnits(_ unit: (UInt8, UInt8) -> UInt16) -> [UInt8] {
    var converted: [UInt8] = []
    converted.reserveCapacity(carried.count)
    let whole = carried.count / 2 * 2
    for index in stride(from: 0, to: whole, by: 2) {
      append(unit(carried[index], carried[index + 1]), to: &converted)
    }
    carried.removeFirst(whole)
    return converted
  }

  private mutating func append(_ unit: UInt16, to converted: inout [UInt8]) {
    if let high = highSurrogate {
      highSurrogate = nil
      if (0xDC00...0xDFFF).contains(unit) {
        let value = 0x10000 + (UInt32(high) - 0xD800) << 10 + (UInt32(unit) - 0xDC00)
        append(Unicode.Scalar(value), to: &converted)
        return
      }
      append(nil, to: &converted)
    }
    if (0xD800...0xDBFF).contains(unit) {
      highSurrogate = unit
    } else {
      append(Unicode.Scalar(UInt32(unit)), to: &converted)
    }
  }

  private func append(_ scalar: Unicode.Scalar?, to converted: inout [UInt8]) {
    converted += Array(String(scalar ?? "\u{FFFD}").utf8)
  }
}
