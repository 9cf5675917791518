extension BidirectionalCollection<UInt8> {
  /// The little-endian value of at most eight bytes.
  var littleEndian: UInt64 { reversed().reduce(0) { $0 << 8 | UInt64($1) } }
}
