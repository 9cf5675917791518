/// The local header of a file in a ZIP archive: PKWARE's APPNOTE, section 4.3.7. Pure.
struct ZIPEntry: Hashable, Sendable {
  enum Method: Hashable, Sendable { case stored, deflated, other }

  let name: String
  let method: Method
  let isEncrypted: Bool
  /// Nil if the size is in a data descriptor after the content.
  let compressedSize: Int?
  /// The checksum of the content; meaningless if the checksum is in a data descriptor.
  let checksum: UInt32
  /// Whether the sizes in a data descriptor have eight bytes: section 4.5.3.
  let isLarge: Bool
  /// The size of the header in bytes.
  let headerSize: Int

  static let signature: [UInt8] = [0x50, 0x4B, 3, 4]
  static let descriptorSignature: [UInt8] = [0x50, 0x4B, 7, 8]

  /// Reads bytes that begin with the signature; nil if there are too few.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= 30 else { return nil }
    func number(_ offset: Int, _ count: Int) -> Int {
      Int(bytes.dropFirst(offset).prefix(count).littleEndian)
    }
    let nameLength = number(26, 2)
    headerSize = 30 + nameLength + number(28, 2)
    guard bytes.count >= headerSize else { return nil }
    name = String(decoding: bytes.dropFirst(30).prefix(nameLength), as: UTF8.self)
    let flags = number(6, 2)
    isEncrypted = flags & 1 != 0
    checksum = UInt32(number(14, 4))
    let extra = Self.sizes(bytes.dropFirst(30 + nameLength).prefix(number(28, 2)))
    isLarge = extra != nil
    // Flag bit 3: the size is in a data descriptor. 0xFFFF_FFFF: the size is in an extra field.
    let size = number(18, 4)
    compressedSize =
      flags & 8 != 0 ? nil : size == 0xFFFF_FFFF ? extra?.compressed ?? size : size
    method =
      switch number(8, 2) {
      case 0: .stored
      case 8: .deflated
      default: .other
      }
  }

  private struct Sizes { let compressed: Int? }

  /// The 64-bit sizes in the extra fields; nil without them.
  private static func sizes(_ bytes: ArraySlice<UInt8>) -> Sizes? {
    var rest = bytes
    while rest.count >= 4 {
      let count = Int(rest.dropFirst(2).prefix(2).littleEndian)
      let field = rest.dropFirst(4).prefix(count)
      if rest.prefix(2).littleEndian == 1 {
        // The original size precedes the compressed size.
        guard field.count >= 16 else { return Sizes(compressed: nil) }
        return Sizes(compressed: Int(exactly: field.dropFirst(8).prefix(8).littleEndian))
      }
      rest = rest.dropFirst(4 + count)
    }
    return nil
  }

  /// The size of a data descriptor with or without a signature.
  func descriptorSize(hasSignature: Bool) -> Int { (hasSignature ? 8 : 4) + (isLarge ? 16 : 8) }

  /// Whether the name has the extension of a recording and does not belong to macOS metadata.
  var isRecording: Bool {
    !name.hasPrefix("__MACOSX/")
      && [
        "kml", "gpx", "tcx", "fit", "igc", "geojson", "json", "csv", "nmea", "rec", "txt",
      ].contains(fileExtension)
  }

  var isKML: Bool { isRecording && fileExtension == "kml" }

  private var fileExtension: String {
    name.split(separator: ".").last.map { $0.lowercased() } ?? ""
  }
}
