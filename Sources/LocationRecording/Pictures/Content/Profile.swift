/// A value along a track, reduced for a chart: in each column of pixels, the first value, the
/// least, the greatest and the last. The chart looks the same as with all values, and no peak is
/// lost. Pure.
struct Profile: Hashable, Sendable {
  /// A value at a position along the axis.
  struct Value: Hashable, Sendable {
    var position: Double
    var value: Double
  }

  /// The parts without a gap and without a missing value.
  let parts: [[Value]]
  /// The range of the values; nil without values.
  let range: ClosedRange<Double>?

  /// - Parameters:
  ///   - segments: Positions that never decrease, with values.
  ///   - span: The positions of the left and the right end.
  ///   - columns: The number of columns of pixels.
  init(
    _ segments: [[(position: Double, value: Double?)]], span: ClosedRange<Double>, columns: Int
  ) {
    var parts: [[Value]] = []
    var range: ClosedRange<Double>?
    let perColumn = (span.upperBound - span.lowerBound) / Double(columns)
    for segment in segments {
      var part: [Value] = []
      var column = Column()
      var columnIndex = -1
      for (position, value) in segment {
        guard let value else {
          column.close(into: &part)
          if !part.isEmpty { parts.append(part) }
          (part, column, columnIndex) = ([], Column(), -1)
          continue
        }
        range =
          range.map { min($0.lowerBound, value)...max($0.upperBound, value) } ?? value...value
        let next = perColumn > 0 ? Int((position - span.lowerBound) / perColumn) : 0
        if next != columnIndex {
          column.close(into: &part)
          (column, columnIndex) = (Column(), next)
        }
        column.add(Value(position: position, value: value))
      }
      column.close(into: &part)
      if !part.isEmpty { parts.append(part) }
    }
    (self.parts, self.range) = (parts, range)
  }

  /// The values of one column of pixels.
  private struct Column {
    private var first: Value?
    private var least: Value?
    private var greatest: Value?
    private var last: Value?

    mutating func add(_ value: Value) {
      if first == nil { first = value }
      if least.map({ value.value < $0.value }) ?? true { least = value }
      if greatest.map({ value.value > $0.value }) ?? true { greatest = value }
      last = value
    }

    /// Appends the values in order, each once.
    func close(into part: inout [Value]) {
      let values = [first, least, greatest, last].compactMap { $0 }
        .sorted { $0.position < $1.position }
      for value in values where part.last != value { part.append(value) }
    }
  }
}
