import AsyncLocation

/// Reads the numbers of tables, which may have a decimal comma and a unit. Pure.
enum RecordedNumber {
  /// Reads a number; nil for other text.
  ///
  /// - Parameter hasDecimalComma: Whether a comma is the decimal mark. Otherwise it may separate
  ///   thousands, and a text with a comma is not read.
  static func parse(_ text: String, hasDecimalComma: Bool) -> Double? {
    if let number = DecimalNumber.parse(text) { return number }
    guard hasDecimalComma, !text.contains("."), text.count(where: { $0 == "," }) == 1 else {
      return nil
    }
    return DecimalNumber.parse(text.replacing(",", with: "."))
  }

  /// Whether a mark may separate the thousands of a number, in a text with another decimal mark.
  static func mayHaveThousands(_ text: String, dividedBy mark: Character) -> Bool {
    let parts = text.split(separator: mark, omittingEmptySubsequences: false)
    return parts.count > 1
      && parts.dropFirst().allSatisfy { $0.prefix(while: \.isNumber).count == 3 }
  }

  /// Reads a number with an optional unit, and converts it to the unit of `Location`. A unit in the
  /// text has precedence over the unit of the column.
  static func parse(
    _ text: String, hasDecimalComma: Bool, _ dimension: RecordedUnit.Dimension,
    _ unit: RecordedUnit
  ) -> Double? {
    let text = text.trimmed
    if let number = parse(text, hasDecimalComma: hasDecimalComma) { return unit.convert(number) }
    let end = text.firstIndex { !"0123456789+-.,".contains($0) } ?? text.endIndex
    guard let number = parse(String(text[..<end]), hasDecimalComma: hasDecimalComma),
      let unit = RecordedUnit(text[end...], of: dimension)
    else { return nil }
    return unit.convert(number)
  }
}
