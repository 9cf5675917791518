import CExpat

/// Single-byte encodings that expat lacks. It supports UTF-8, UTF-16, US-ASCII and ISO 8859-1.
enum SingleByteEncoding {
  /// Fills expat's description of an encoding. Returns false for an unknown one.
  static func fill(_ encoding: UnsafeMutablePointer<XML_Encoding>, for name: String) -> Bool {
    guard names.contains(name.lowercased()) else { return false }
    unsafe withUnsafeMutableBytes(of: &encoding.pointee.map) { bytes in
      let map = unsafe bytes.bindMemory(to: Int32.self)
      for byte in 0..<256 { unsafe map[byte] = Int32(byte) }
      for (index, scalar) in windows1252.enumerated() { unsafe map[0x80 + index] = scalar }
    }
    unsafe (encoding.pointee.data, encoding.pointee.convert, encoding.pointee.release) =
      (nil, nil, nil)
    return true
  }

  /// The labels of windows-1252 in the WHATWG's Encoding Standard that expat does not recognize.
  private static let names: Set<String> = [
    "windows-1252", "cp1252", "x-cp1252", "latin1", "l1", "iso8859-1", "iso88591", "iso_8859-1",
  ]

  /// The supported encodings, for messages.
  static let supportedNames = "UTF-8, UTF-16, US-ASCII, ISO-8859-1 and windows-1252"

  /// The characters of the bytes from 0x80 to 0x9F in windows-1252, from the WHATWG's Encoding
  /// Standard, index windows-1252, which maps the five unassigned bytes to control characters.
  private static let windows1252: [Int32] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
  ]
}
