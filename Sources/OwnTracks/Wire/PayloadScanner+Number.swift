import JSONScanning

extension PayloadScanner {
  /// Whether the next byte begins a number.
  var isAtNumber: Bool {
    @inline(__always) get { byte == UInt8(ascii: "-") || byte &- UInt8(ascii: "0") < 10 }
  }

  /// Reads the double nearest to a number; nil for one that is too large or too long, and for a
  /// value that is not a number, which is skipped.
  @inline(__always)
  mutating func number() throws(Fault) -> Double? {
    guard isAtNumber else {
      try skipValue()
      return nil
    }
    let start = position
    return try readNumber().value(in: bytes, start..<position)
  }

  /// Skips a number and checks its grammar.
  mutating func skipNumber() throws(Fault) { _ = try readNumber() }

  @inline(__always)
  private mutating func readNumber() throws(Fault) -> JSONNumber {
    var place = position  // Not in memory, as the position is.
    guard let number = JSONNumber(bytes, at: &place) else { throw .syntax }
    position = place
    return number
  }
}
