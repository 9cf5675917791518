extension Double {
  /// The same number, with zero positive: equal values print and encode alike.
  var oneZero: Double { self == 0 ? 0 : self }
}
