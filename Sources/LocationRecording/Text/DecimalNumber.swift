/// Reads decimal numbers.
enum DecimalNumber {
  /// Reads a decimal number with white space around it. Nil for other text: for hexadecimal
  /// numbers, infinities and what is not a number, which `Double` reads too.
  static func parse(_ text: some StringProtocol) -> Double? {
    var bytes = Array(text.utf8.prefix(128))[...]
    while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    guard !bytes.isEmpty, bytes.count <= 64, bytes.allSatisfy(isNumeric) else { return nil }
    guard let number = Double(String(decoding: bytes, as: UTF8.self)), number.isFinite else {
      return nil
    }
    return number
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

  private static func isNumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
      UInt8(ascii: "+"), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }
}
