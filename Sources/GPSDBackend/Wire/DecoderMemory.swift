/// What a decoder remembers from line to line, so as to be quicker with the next.
struct DecoderMemory {
  let keepsUnknownMembers: Bool
  /// Whether a SKY's satellites are wanted, not only their numbers.
  var keepsSatellites = true
  var names = NameCache()
  var clock = DayCache()
  /// What of the line's unknown members may still be kept.
  var unknownBudget = UnknownMemberBudget.none
  /// The unknown members of the list's element at hand, where the list keeps them.
  var unknownOfElement = UnknownMembers()
  /// By ``ReportFields/orderSlot``; the classes that are seldom sent share the first.
  var orders = InlineArray<5, FieldOrder>(repeating: FieldOrder())

  init(keepsUnknownMembers: Bool) { self.keepsUnknownMembers = keepsUnknownMembers }

  /// Begins a line of which unknown members are kept.
  mutating func keepAllUnknown() {
    unknownBudget = .full
    unknownOfElement.removeAll()  // Of a line that ended within an element.
  }
}

/// Which field came after which the last time. gpsd writes the fields of a class in one order, so that
/// a key need only be compared, not looked for; a wrong guess costs no more than the comparison.
struct FieldOrder {
  /// What the first field of an object comes after.
  static let start: UInt8 = 127

  private var followers = InlineArray<128, UInt8>(repeating: 0)

  subscript(_ field: UInt8) -> UInt8 {
    @inline(__always) get { followers[Int(field & 127)] }
    @inline(__always) set { followers[Int(field & 127)] = newValue }
  }
}
