/// The layout of the data messages of a local type: FIT protocol, section "Definition Message".
struct FITDefinition: Hashable, Sendable {
  struct Field: Hashable, Sendable {
    let number: UInt8
    let size: Int
    /// The base type.
    let type: UInt8
  }

  /// A developer field: the index of its developer data, and its number.
  struct DeveloperField: Hashable, Sendable {
    let dataIndex: UInt8
    let number: UInt8
  }

  /// The global message number, from the profile.
  let globalNumber: UInt16
  let isBigEndian: Bool
  let fields: [Field]
  /// The developer fields, which follow the others, and their size in bytes.
  let developerFields: [DeveloperField]
  let developerSize: Int

  var size: Int { fields.reduce(developerSize) { $0 + $1.size } }
}

/// A data message: its values by field number.
struct FITMessage: Hashable, Sendable {
  /// The global message number, from the profile.
  let globalNumber: UInt16
  private(set) var numbers: [UInt8: Double] = [:]
  private(set) var texts: [UInt8: String] = [:]

  /// - Parameter bytes: The content, with the size that the definition states.
  init(_ definition: FITDefinition, _ bytes: ArraySlice<UInt8>) {
    globalNumber = definition.globalNumber
    var start = bytes.startIndex
    for field in definition.fields {
      let value = bytes[start..<start + field.size]
      start += field.size
      if field.type == Self.stringType {
        texts[field.number] = String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
      } else {
        numbers[field.number] = Self.number(value, field.type, isBigEndian: definition.isBigEndian)
      }
    }
  }

  private static let stringType: UInt8 = 0x07

  /// The first number of a field; nil for the invalid value of its type, and for a type that is not
  /// read.
  private static func number(
    _ bytes: ArraySlice<UInt8>, _ type: UInt8, isBigEndian: Bool
  ) -> Double? {
    // The type determines the size. A field may have several numbers.
    let size: Int
    switch type {
    case 0x00, 0x01, 0x02, 0x0A, 0x0D: size = 1
    case 0x83, 0x84, 0x8B: size = 2
    case 0x85, 0x86, 0x8C: size = 4
    default: return nil
    }
    guard bytes.count >= size else { return nil }
    let first = bytes.prefix(size)
    let value = UInt32(isBigEndian ? first.reversed().littleEndian : first.littleEndian)
    switch type {
    case 0x01: return value == 0x7F ? nil : Double(Int8(truncatingIfNeeded: value))
    case 0x83: return value == 0x7FFF ? nil : Double(Int16(truncatingIfNeeded: value))
    case 0x85: return value == 0x7FFF_FFFF ? nil : Double(Int32(bitPattern: value))
    case 0x00, 0x02, 0x0D: return value == 0xFF ? nil : Double(value)
    case 0x84: return value == 0xFFFF ? nil : Double(value)
    case 0x86: return value == 0xFFFF_FFFF ? nil : Double(value)
    // The types whose names end with z, of which 0 is the invalid value.
    default: return value == 0 ? nil : Double(value)
    }
  }
}

/// The checksum of FIT: FIT protocol, section "CRC". Pure.
struct FITChecksum: Hashable, Sendable {
  private(set) var value: UInt16 = 0

  private static let table: InlineArray<16, UInt16> = [
    0x0000, 0xCC01, 0xD801, 0x1400, 0xF001, 0x3C00, 0x2800, 0xE401, 0xA001, 0x6C00, 0x7800, 0xB401,
    0x5000, 0x9C01, 0x8801, 0x4400,
  ]

  mutating func add(_ bytes: ArraySlice<UInt8>) {
    for byte in bytes {
      for nibble in [byte & 0xF, byte >> 4] {
        value = value >> 4 ^ Self.table[Int(value & 0xF)] ^ Self.table[Int(nibble)]
      }
    }
  }
}
