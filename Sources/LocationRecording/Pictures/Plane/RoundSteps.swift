/// Steps between the lines of a grid or the marks of an axis. Pure.
enum RoundSteps {
  /// The least step that divides a span into at most a number of parts, and is 1, 2 or 5 times a
  /// power of ten.
  static func decimal(span: Double, maximumCount: Int) -> Double {
    let least = span / Double(max(1, maximumCount))
    guard least > 0, least.isFinite else { return 1 }
    let power = Double.power(ofTen: Double.commonLogarithm(least).rounded(.down))
    let multiples: [Double] = [power, 2 * power, 5 * power]
    return multiples.first { $0 >= least * (1 - 1e-9) } ?? 10 * power
  }

  /// A step in degrees. A step above ten degrees is 15, 30, 45 or 90 degrees, which divide a right
  /// angle.
  static func angular(span: Double, maximumCount: Int) -> Double {
    let step = decimal(span: span, maximumCount: maximumCount)
    return step <= 10 ? step : [15, 30, 45].first { $0 >= span / Double(maximumCount) } ?? 90
  }

  /// A step in seconds that divides a minute, an hour or a day, or is a number of days.
  static func temporal(span: Double, maximumCount: Int) -> Double {
    let least = span / Double(max(1, maximumCount))
    let (minute, hour, day) = (60.0, 3600.0, 86_400.0)
    let steps =
      [1, 2, 5, 10, 15, 30] + [1, 2, 5, 10, 15, 30].map { $0 * minute }
      + [1, 2, 3, 6, 12].map { $0 * hour } + [1, 2, 7, 14].map { $0 * day }
    return steps.first { $0 >= least }
      ?? decimal(span: span / day, maximumCount: maximumCount) * day
  }

  /// The multiples of a step within a range, ascending; none if there would be more than 1,001.
  static func multiples(of step: Double, in range: ClosedRange<Double>) -> [Double] {
    let first = (range.lowerBound / step - 1e-9).rounded(.up)
    let last = (range.upperBound / step + 1e-9).rounded(.down)
    guard first <= last, last - first <= 1000 else { return [] }
    // The sum with 0 is never -0.
    return (0...Int(last - first)).map { (first + Double($0)) * step + 0 }
  }

  /// The decimal places that distinguish the multiples of a step.
  static func decimalPlaces(of step: Double) -> Int {
    guard step > 0, step < 1 else { return 0 }
    return min(12, Int((-Double.commonLogarithm(step) - 1e-9).rounded(.up)))
  }
}
