/// Numbers with a fixed number of decimal places. Pure.
enum FixedText {
  /// A number with the given decimal places, at most twelve, and never a negative zero. "0" for a
  /// number that is not finite or too large.
  static func decimal(_ number: Double, _ places: Int) -> String {
    guard number.isFinite, number.magnitude < 1e15 else { return "0" }
    let power = Double.power(ofTen: Double(min(12, max(0, places))))
    let scaled = (number.magnitude * power).rounded()
    guard scaled < 9e18 else { return "0" }
    let digits = String(Int64(scaled))
    let sign = number < 0 && scaled > 0 ? "-" : ""
    guard places > 0 else { return sign + digits }
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    return sign + padded.dropLast(places) + "." + padded.suffix(places)
  }

  /// A number with at most the given decimal places, without trailing zeros.
  static func shortest(_ number: Double, _ places: Int) -> String {
    var text = decimal(number, places)
    guard text.contains(".") else { return text }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text == "-0" ? "0" : text
  }
}

/// Formats angles for display. Pure.
enum AngleText {
  /// A latitude or a longitude with its hemisphere, which the equator, the prime meridian and the
  /// antimeridian lack.
  static func label(_ degrees: Double, isLatitude: Bool, _ places: Int) -> String {
    let number = FixedText.decimal(degrees.magnitude, places)
    let isZero = !number.contains { "123456789".contains($0) }
    let isEdge = !isLatitude && degrees.magnitude == 180
    let hemisphere = isLatitude ? (degrees < 0 ? "S" : "N") : (degrees < 0 ? "W" : "E")
    return number + "°" + (isZero || isEdge ? "" : " " + hemisphere)
  }
}
