/// Reads decimal numbers.
enum DecimalNumber {
  /// Reads a decimal number with white space around it. Nil for other text: for hexadecimal
  /// numbers, infinities and what is not a number, which `Double` reads too.
  static func parse(_ text: some StringProtocol) -> Double? {
    let bytes = Array(text.utf8.prefix(128)).trimmed
    guard !bytes.isEmpty, bytes.count <= 64, bytes.allSatisfy(isNumeric) else { return nil }
    guard let number = Double(String(decoding: bytes, as: UTF8.self)), number.isFinite else {
      return nil
    }
    return number
  }

  private static func isNumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
      UInt8(ascii: "+"), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }
}
