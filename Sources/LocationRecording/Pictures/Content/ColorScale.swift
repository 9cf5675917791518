/// Classes of values between round numbers, each with a color of a sequence. Pure.
///
/// The lowest and the highest class include all values beyond the scale, so that a few outliers do
/// not widen it.
struct ColorScale: Hashable, Sendable {
  /// The number of colors in the sequence.
  static let colorCount = 7
  /// The fraction of the values that is ignored at each end of the scale.
  private static let outliers = 0.01

  /// The boundaries of the classes, ascending: one more than there are classes. Empty without
  /// values.
  let edges: [Double]
  /// Whether there are values below the first edge.
  let isOpenBelow: Bool
  /// Whether there are values above the last edge.
  let isOpenAbove: Bool

  /// - Parameters:
  ///   - values: The values in any order.
  ///   - leastSpan: The least span of the scale.
  ///   - includesZero: Whether the scale begins at zero if values come near to zero, and is
  ///     extended only upwards.
  init(_ values: [Double], leastSpan: Double, includesZero: Bool) {
    let sorted = values.sorted()
    guard let least = sorted.first, let greatest = sorted.last else {
      (edges, isOpenBelow, isOpenAbove) = ([], false, false)
      return
    }
    let skipped = Int(Double(sorted.count) * Self.outliers)
    var low = sorted[skipped]
    var high = sorted[sorted.count - 1 - skipped]
    if includesZero, low >= 0, low < high / 2 || high < leastSpan { low = 0 }
    if high - low < leastSpan {
      let missing = leastSpan - (high - low)
      if includesZero {
        high += missing
      } else {
        (low, high) = (low - missing / 2, high + missing / 2)
      }
    }
    var step = RoundSteps.decimal(span: high - low, maximumCount: Self.colorCount)
    // Rounding the ends outwards may add a class; the next greater step then has fewer.
    while (high / step).rounded(.up) - (low / step).rounded(.down) > Double(Self.colorCount) {
      step = RoundSteps.decimal(span: step * 1.01, maximumCount: 1)
    }
    let first = (low / step).rounded(.down)
    let last = max(first + 1, (high / step).rounded(.up))
    edges = (0...Int(last - first)).map { (first + Double($0)) * step + 0 }
    isOpenBelow = least < first * step
    isOpenAbove = greatest > last * step
  }

  var classCount: Int { max(0, edges.count - 1) }

  /// The class of a value; the nearest class for a value beyond the scale.
  func index(of value: Double) -> Int? {
    guard classCount > 0 else { return nil }
    let step = edges[1] - edges[0]
    return max(0, min(classCount - 1, Int(((value - edges[0]) / step).rounded(.down))))
  }

  /// The color of a class, 0..<``colorCount``: the classes spread over the whole sequence.
  func color(ofClass index: Int) -> Int {
    guard classCount > 1 else { return Self.colorCount / 2 }
    let fraction = Double(index) / Double(classCount - 1)
    return Int((fraction * Double(Self.colorCount - 1)).rounded())
  }
}
