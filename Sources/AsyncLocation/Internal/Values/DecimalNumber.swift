/// Reads decimal numbers.
package enum DecimalNumber {
  /// The powers of ten that a double represents exactly.
  private static let powersOfTen: InlineArray<23, Double> = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  /// Reads a decimal number of at most 64 bytes, with white space around it. Nil for other text,
  /// including hexadecimal numbers, infinities and NaN, which `Double` reads, and for a number
  /// beyond the range of a double.
  package static func parse(_ text: Span<UInt8>) -> Double? {
    let bytes = text.extracting(text.trimmedRange)
    guard bytes.count <= 64 else { return nil }
    return parseExactly(bytes) ?? parseGenerally(bytes)
  }

  package static func parse(_ text: String) -> Double? { parse(text.utf8.span) }

  package static func parse(_ text: Substring) -> Double? { parse(text.utf8.span) }

  /// Reads a number without an exponent, with a significand of at most 19 digits and at most 2⁵³.
  /// Nil for other text.
  ///
  /// Such a significand and the powers of ten up to 10²² are exact doubles, so one rounded division
  /// gives the nearest result (W. Clinger, "How to Read Floating Point Numbers Accurately", 1990).
  private static func parseExactly(_ bytes: Span<UInt8>) -> Double? {
    var index = 0
    let isNegative = bytes.count > 0 && bytes[0] == UInt8(ascii: "-")
    if isNegative { index = 1 }
    var significand: UInt64 = 0
    var (digits, decimals, hasPoint) = (0, 0, false)
    while index < bytes.count {
      let byte = bytes[index]
      index &+= 1
      if byte == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
        continue
      }
      let digit = byte &- UInt8(ascii: "0")
      guard digit < 10, digits < 19 else { return nil }
      significand = significand &* 10 &+ UInt64(digit)
      digits &+= 1
      if hasPoint { decimals &+= 1 }
    }
    guard digits > 0, significand <= 1 << 53 else { return nil }
    let magnitude = Double(significand) / powersOfTen[decimals]
    return isNegative ? -magnitude : magnitude
  }

  /// Reads any decimal number, by the slower parser of `Double`.
  private static func parseGenerally(_ bytes: Span<UInt8>) -> Double? {
    for index in bytes.indices where !isNumeric(bytes[index]) { return nil }
    // SAFETY: the pointer does not leave the closure.
    let text = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    guard !bytes.isEmpty, let number = Double(text), number.isFinite else { return nil }
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
