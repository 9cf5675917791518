/// Divides values into classes with round boundaries. Each class has a color of a sequence. Pure.
///
/// The lowest and the highest class include all values beyond the scale, so that a few outliers do
/// not widen it.
struct ColorScale: Hashable, Sendable {
  /// The number of colors in the sequence.
  static let colorCount = 7
  /// The fraction of the values, at each extreme, that does not widen the scale.
  private static let outlierFraction = 0.01

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
  ///   - prefersZero: Whether a scale of values from 0 up starts at zero if its lowest value is
  ///     less than half of its highest, or its highest is less than `leastSpan`. The scale is then
  ///     widened only upwards, even if it does not start at zero.
  init(_ values: [Double], leastSpan: Double, prefersZero: Bool) {
    let sorted = values.sorted()
    guard let least = sorted.first, let greatest = sorted.last else {
      (edges, isOpenBelow, isOpenAbove) = ([], false, false)
      return
    }
    let skipped = Int(Double(sorted.count) * Self.outlierFraction)
    var low = sorted[skipped]
    var high = sorted[sorted.count - 1 - skipped]
    if prefersZero, low >= 0, low < high / 2 || high < leastSpan { low = 0 }
    if high - low < leastSpan {
      let missing = leastSpan - (high - low)
      if prefersZero {
        high += missing
      } else {
        (low, high) = (low - missing / 2, high + missing / 2)
      }
    }
    var step = RoundSteps.decimal(span: high - low, maximumCount: Self.colorCount)
    // Rounding the ends outwards may add classes. The next greater step is used then: the least
    // round number above `step`.
    while (high / step).rounded(.up) - (low / step).rounded(.down) > Double(Self.colorCount) {
      step = RoundSteps.decimal(span: step * 1.01, maximumCount: 1)
    }
    let first = (low / step).rounded(.down)
    let last = max(first + 1, (high / step).rounded(.up))
    // The sum with 0 is never -0.
    edges = (0...Int(last - first)).map { (first + Double($0)) * step + 0 }
    isOpenBelow = least < first * step
    isOpenAbove = greatest > last * step
  }

  var classCount: Int { max(0, edges.count - 1) }

  /// The class of a value; the nearest class for a value beyond the scale. Nil if there are no
  /// classes.
  func index(of value: Double) -> Int? {
    guard classCount > 0 else { return nil }
    let step = edges[1] - edges[0]
    return max(0, min(classCount - 1, Int(((value - edges[0]) / step).rounded(.down))))
  }

  /// The index of a class's color in the sequence. The classes are spread over the whole sequence;
  /// a single class has the middle color.
  func colorIndex(ofClass index: Int) -> Int {
    guard classCount > 1 else { return Self.colorCount / 2 }
    let fraction = Double(index) / Double(classCount - 1)
    return Int((fraction * Double(Self.colorCount - 1)).rounded())
  }
}
