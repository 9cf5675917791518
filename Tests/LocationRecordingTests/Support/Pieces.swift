extension [UInt8] {
  /// Divides the bytes into pieces of a length. The last piece may be shorter.
  func pieces(of length: Int) -> [[UInt8]] {
    stride(from: 0, to: count, by: length).map { Array(self[$0..<Swift.min($0 + length, count)]) }
  }
}
