extension Range<Int> {
  /// The first index with a property that all later indices have too; the upper bound if there is
  /// none.
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
