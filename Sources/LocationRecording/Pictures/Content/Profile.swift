/// A quantity along a track, such as its speed, reduced for a chart. Each column of pixels keeps
/// its first, lowest, highest and last value, so that the chart shows every peak. Pure.
struct Profile: Hashable, Sendable {
  /// A value at a position along the axis.
  struct Value: Hashable, Sendable {
    var position: Double
    var value: Double
  }

  /// The values in runs, in order: a run ends with its segment and before a missing value.
  let parts: [[Value]]
  /// The range of the values; nil without values.
  let range: ClosedRange<Double>?

  /// - Parameters:
  ///   - segments: The segments of the track: positions in ascending order, each with its value;
  ///     nil if it is missing.
  ///   - span: The positions at the left and the right end of the axis.
  ///   - columns: The number of columns of pixels.
  init(
    _ segments: [[(position: Double, value: Double?)]], span: ClosedRange<Double>, columns: Int
  ) {
    var parts: [[Value]] = []
    var range: ClosedRange<Double>?
    let perColumn = (span.upperBound - span.lowerBound) / Double(columns)
    var part: [Value] = []
    var column = Column()
    var columnIndex: Int?
    func endPart() {
      column.append(to: &part)
      if !part.isEmpty { parts.append(part) }
      (part, column, columnIndex) = ([], Column(), nil)
    }
    for segment in segments {
      for (position, value) in segment {
        guard let value else {
          endPart()
          continue
        }
        range =
          range.map { min($0.lowerBound, value)...max($0.upperBound, value) } ?? value...value
        let next = perColumn > 0 ? Int((position - span.lowerBound) / perColumn) : 0
        if next != columnIndex {
          column.append(to: &part)
          (column, columnIndex) = (Column(), next)
        }
        column.add(Value(position: position, value: value))
      }
      endPart()
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

    /// Appends the column's values in order of position, each once.
    func append(to part: inout [Value]) {
      let values = [first, least, greatest, last].compactMap { $0 }
        .sorted { $0.position < $1.position }
      for value in values where part.last != value { part.append(value) }
    }
  }
}
