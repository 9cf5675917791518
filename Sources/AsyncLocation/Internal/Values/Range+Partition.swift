extension Range<Int> {
  /// Returns the first index that has a property; the upper bound if none has it. All indices after
  /// the first one must have the property too.
  @inlinable
  package func partition(_ property: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if property(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
