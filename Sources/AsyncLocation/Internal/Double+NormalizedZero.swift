extension Double {
  /// The same number with negative zero replaced by zero, so that equal values print and encode
  /// alike.
  var normalizedZero: Double { self == 0 ? 0 : self }
}
