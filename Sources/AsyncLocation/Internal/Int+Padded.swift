extension Int {
  /// The digits of a number that is not negative, with leading zeros up to a width.
  package func padded(to width: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
  }
}
