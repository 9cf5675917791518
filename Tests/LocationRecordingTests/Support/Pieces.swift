extension [UInt8] {
  /// The bytes in pieces as they may arrive; the last one may be shorter.
  func pieces(of length: Int) -> [[UInt8]] {
    stride(from: 0, to: count, by: length).map { Array(self[$0..<Swift.min($0 + length, count)]) }
  }
}
