/// What a decoder remembers from line to line, so as to be quicker with the next.
struct DecoderMemory {
  var names = NameCache()
  var clock = DayCache()
  /// By ``ReportFields/orderSlot``; the classes that are seldom sent share the first.
  var orders = InlineArray<5, FieldOrder>(repeating: FieldOrder())
}

/// Which field came after which the last time. gpsd writes the fields of a class in one order, so that
/// a key need only be compared, not looked for; a wrong guess costs no more than the comparison.
struct FieldOrder {
  /// What the first field of an object comes after.
  static let start: UInt8 = 63

  private var followers = InlineArray<64, UInt8>(repeating: 0)

  subscript(_ field: UInt8) -> UInt8 {
    @inline(__always) get { followers[Int(field & 63)] }
    @inline(__always) set { followers[Int(field & 63)] = newValue }
  }
}
