/// The local header of a file in a ZIP archive: PKWARE's APPNOTE, section 4.3.7. Pure.
struct ZIPEntry: Hashable, Sendable {
  enum Method: Hashable, Sendable { case stored, deflated, other }

  let name: String
  let method: Method
  let isEncrypted: Bool
  /// Nil if it follows the content, in a descriptor.
  let compressedSize: Int?
  /// The bytes of the header.
  let headerSize: Int

  static let signature: [UInt8] = [0x50, 0x4B, 3, 4]
  static let descriptorSignature: [UInt8] = [0x50, 0x4B, 7, 8]

  /// Nil if there are too few bytes, which begin with the signature.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= 30 else { return nil }
    func number(_ offset: Int, _ count: Int) -> Int {
      (0..<count).reduce(0) { $0 | Int(bytes[bytes.startIndex + offset + $1]) << (8 * $1) }
    }
    let nameLength = number(26, 2)
    headerSize = 30 + nameLength + number(28, 2)
    guard bytes.count >= headerSize else { return nil }
    name = String(decoding: bytes.dropFirst(30).prefix(nameLength), as: UTF8.self)
    let flags = number(6, 2)
    isEncrypted = flags & 1 != 0
    compressedSize = flags & 8 != 0 ? nil : number(18, 4)
    method =
      switch number(8, 2) {
      case 0: .stored
      case 8: .deflated
      default: .other
      }
  }

  /// Whether the name is one that recordings have.
  var isRecording: Bool {
    let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
    return [
      "kml", "gpx", "tcx", "fit", "igc", "geojson", "json", "csv", "nmea", "rec", "txt",
    ].contains(ending)
  }
}
