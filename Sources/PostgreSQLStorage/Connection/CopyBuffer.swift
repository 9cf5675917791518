/// The rows of a `COPY … FROM STDIN (FORMAT binary)`.
struct CopyBuffer {
  private(set) var bytes: [UInt8]
  private(set) var rowCount = 0

  init() {
    // The header: the signature, no flags and no extension.
    bytes = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + Array(repeating: 0, count: 8)
  }

  mutating func addRow(fieldCount: UInt16) {
    bytes.append(bigEndian: fieldCount)
    rowCount += 1
  }

  mutating func add(_ value: Int64) {
    bytes.append(bigEndian: UInt32(8))
    bytes.append(bigEndian: UInt64(bitPattern: value))
  }

  mutating func add(_ value: Double) {
    bytes.append(bigEndian: UInt32(8))
    bytes.append(bigEndian: value.bitPattern)
  }

  mutating func add(_ value: [UInt8]) { bytes.append(field: value) }

  /// Appends the end marker.
  mutating func finish() { bytes.append(bigEndian: UInt16.max) }
}
