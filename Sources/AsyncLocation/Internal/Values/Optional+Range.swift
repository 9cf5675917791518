extension Optional where Wrapped: Comparable {
  /// The value; nil if it is out of range or NaN.
  package func within(_ range: ClosedRange<Wrapped>) -> Wrapped? {
    flatMap { range.contains($0) ? $0 : nil }
  }
}
