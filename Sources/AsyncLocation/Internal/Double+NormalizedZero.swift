extension Double {
  /// The same number, with zero positive: equal values print and encode alike.
  var normalizedZero: Double { self == 0 ? 0 : self }
}
