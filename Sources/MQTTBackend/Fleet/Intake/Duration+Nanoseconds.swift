extension Duration {
  /// This duration in nanoseconds, rounded toward zero and clamped to the range of `Int64`.
  var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflows else { return seconds < 0 ? .min : .max }
    let (sum, overflowsToo) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflowsToo ? (seconds < 0 ? .min : .max) : sum
  }
}
