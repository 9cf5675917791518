extension Range<Int> {
  /// The first index that has a property which all later ones have too; the end if none has.
  func partition(_ property: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if property(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
