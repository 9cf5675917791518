/// A number of JSON (RFC 8259). Pure.
struct JSONNumber: Hashable, Sendable {
  enum Fault: Error, Hashable, Sendable {
    /// A character that the grammar does not have there, or none where it has one.
    case syntax(at: Int)
    case outOfRange
  }

  /// The nearest double.
  let value: Double
  /// The number, if it is written without a point and an exponent, and fits.
  let integer: Int64?

  /// - Parameter text: The characters of the number, as ``isPart(_:)`` identifies them.
  init(_ text: Span<UInt8>) throws(Fault) {
    var index = 0
    func at(_ character: Unicode.Scalar) -> Bool {
      index < text.count && text[index] == UInt8(ascii: character)
    }
    func skipDigits() throws(Fault) {
      let start = index
      while index < text.count, text[index] &- 48 < 10 { index += 1 }
      guard index > start else { throw .syntax(at: index) }
    }
    if at("-") { index += 1 }
    let first = index
    try skipDigits()
    guard index == first + 1 || text[first] != UInt8(ascii: "0") else { throw .syntax(at: first) }
    var isInteger = true
    if at(".") {
      isInteger = false
      index += 1
      try skipDigits()
    }
    if at("e") || at("E") {
      isInteger = false
      index += 1
      if at("+") || at("-") { index += 1 }
      try skipDigits()
    }
    guard index == text.count else { throw .syntax(at: index) }
    guard let value = DecimalNumber.parse(text) ?? Double(String(copying: text)), value.isFinite
    else {
      throw .outOfRange
    }
    self.value = value
    integer = isInteger ? Self.integer(text) : nil
  }

  /// Nil for a number of more than 63 bits.
  private static func integer(_ text: Span<UInt8>) -> Int64? {
    var value: Int64 = 0
    let isNegative = text[0] == UInt8(ascii: "-")
    for index in (isNegative ? 1 : 0)..<text.count {
      let digit = Int64(text[index] &- 48)
      let (product, isBeyond) = value.multipliedReportingOverflow(by: 10)
      let (sum, isFarther) =
        isNegative
        ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      guard !isBeyond, !isFarther else { return nil }
      value = sum
    }
    return value
  }

  /// Whether a character may be in a number.
  static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
      UInt8(ascii: "+"), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }
}
