/// Writes the numbers of packed locations.
struct PackedWriter {
  var bytes: [UInt8] = []

  mutating func add(_ byte: UInt8) { bytes.append(byte) }

  /// Adds a number: seven bits per byte, the lowest first.
  mutating func add(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Adds a number in zigzag encoding: the sign is in the lowest bit.
  mutating func add(signed number: Int64) {
    add(UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  /// Adds bits: eight per byte, the first in the lowest bit.
  mutating func add(bits: [Bool]) {
    for start in stride(from: 0, to: bits.count, by: 8) {
      var byte: UInt8 = 0
      for offset in 0..<min(8, bits.count - start) where bits[start + offset] {
        byte |= 1 << offset
      }
      bytes.append(byte)
    }
  }
}

/// Reads the numbers of packed locations. Its methods return nil at the end of the bytes and for a
/// number that does not fit into 64 bits.
struct PackedReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func byte() -> UInt8? {
    guard position < bytes.count else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func number() -> UInt64? {
    var (number, shift) = (UInt64(0), UInt64(0))
    while let byte = byte() {
      guard shift < 63 || byte <= 1 else { return nil }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
    return nil
  }

  mutating func signed() -> Int64? {
    number().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
  }

  mutating func word() -> UInt64? {
    guard let bytes = bytes(count: 8) else { return nil }
    return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func bits(count: Int) -> [Bool]? {
    guard let bytes = bytes(count: UInt64((count + 7) / 8)) else { return nil }
    return (0..<count).map { bytes[$0 / 8] >> ($0 % 8) & 1 == 1 }
  }

  mutating func bytes(count: UInt64) -> [UInt8]? {
    guard count <= UInt64(bytes.count - position) else { return nil }
    defer { position += Int(count) }
    return Array(bytes[position..<position + Int(count)])
  }
}
