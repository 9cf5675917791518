/// State that a decoder keeps between lines to speed up decoding.
struct DecoderMemory {
  let keepsUnknownMembers: Bool
  /// Whether a SKY's satellite list is needed, not only the satellite counts.
  var keepsSatellites = true
  var names = NameCache()
  var clock = DayCache()
  /// The remaining budget for unknown members of the current line.
  var unknownBudget = UnknownMemberBudget.none
  /// The unknown members of the current list element, if the list keeps them.
  var unknownOfElement = UnknownMembers()
  /// The orders of the fields in the last reports, by ``StoredReport/orderSlot``. Infrequent
  /// classes share slot 0.
  var orders = InlineArray<5, FieldOrder>(repeating: FieldOrder())

  init(keepsUnknownMembers: Bool) { self.keepsUnknownMembers = keepsUnknownMembers }

  /// Starts a line whose unknown members are kept, with the full budget for them.
  mutating func beginKeepingUnknownMembers() {
    unknownBudget = .full
    unknownOfElement.removeAll()  // Left over if the last line ended within an element.
  }
}

/// Predicts the next field from the order in the last report. gpsd writes the fields of a class in
/// a fixed order, so a key usually needs only one comparison. A wrong prediction costs one more.
struct FieldOrder {
  /// The index that stands for the predecessor of an object's first field.
  static let start: UInt8 = 127

  private var followers = InlineArray<128, UInt8>(repeating: 0)

  subscript(_ field: UInt8) -> UInt8 {
    @inline(__always) get { followers[Int(field & 127)] }
    @inline(__always) set { followers[Int(field & 127)] = newValue }
  }
}
