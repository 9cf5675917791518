/// Numbers with the fewest digits that read back as the same number. Pure.
enum NumberText {
  /// A number for JSON and CSV; very large and very small numbers have an exponent.
  static func shortest(_ number: Double) -> String {
    let text = "\(number)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// A number without an exponent, as XML Schema's `decimal` requires. Nil above 1e30; a number
  /// nearer to zero than 1e-30 becomes 0. No measurement is so large or so small.
  static func decimal(_ number: Double) -> String? {
    guard number.magnitude <= 1e30 else { return nil }
    guard number.magnitude >= 1e-30 else { return "0" }
    let text = shortest(number)
    guard let mark = text.firstIndex(of: "e"), let exponent = Int(text[text.index(after: mark)...])
    else { return text }
    let sign = number < 0 ? "-" : ""
    let parts = text[..<mark].drop { $0 == "-" }.split(separator: ".")
    let digits = parts.joined()
    let point = parts[0].count + exponent
    guard point > 0 else {
      return sign + "0." + String(repeating: "0", count: -point) + digits
    }
    // A number this large is an integer.
    return sign + digits + String(repeating: "0", count: point - digits.count)
  }
}
