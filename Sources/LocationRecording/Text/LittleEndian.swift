extension BidirectionalCollection<UInt8> {
  /// The number that at most eight bytes are, the lowest first.
  var littleEndian: UInt64 { reversed().reduce(0) { $0 << 8 | UInt64($1) } }
}
