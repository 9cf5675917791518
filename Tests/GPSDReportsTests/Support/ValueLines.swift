import Testing

@testable import GPSDReports

/// Lines with a value in each, and the reference result for one field.
struct ValueLines {
  private let place: LineOutcomes.Place
  private(set) var stream: [UInt8] = []
  /// The end of each line, after its line feed.
  private var ends: [Int] = []
  /// The offsets of each line's value.
  private var values: [Range<Int>] = []
  private var expected: [LineOutcomes.Outcome] = []

  init(of place: LineOutcomes.Place) { self.place = place }

  var count: Int { ends.count }
  /// The number of lines that are reports with a value for the field.
  var countOfValues: Int {
    expected.count {
      if case .number(.some) = $0 { true } else if case .text(.some) = $0 { true } else { false }
    }
  }

  mutating func append(_ head: String, _ value: [UInt8], _ tail: String) {
    let start = stream.count
    stream += head.utf8
    values.append(stream.count..<stream.count + value.count)
    stream += value
    stream += tail.utf8
    expected.append(Self.expected(place, stream[start...]))
    stream.append(10)
    ends.append(stream.count)
  }

  /// Compares the lines in one chunk, alone, and cut within their values.
  func compareAllWays() {
    compare("in one chunk", [])
    compare("each alone", ends)
    compare(
      "each cut within its value",
      ends.indices.flatMap { index in
        [values[index].lowerBound + index % (values[index].count + 1), ends[index]]
      })
  }

  /// Reads the stream in chunks that end at these offsets; false if the result differs.
  @discardableResult
  func compare(_ way: String, _ cuts: some Sequence<Int>) -> Bool {
    let found = LineOutcomes.read(stream, cutAt: cuts, of: place)
    guard found.outcomes != expected else { return true }
    guard found.outcomes.count == expected.count else {
      Issue.record("\(way): \(found.outcomes.count) lines of \(expected.count)")
      return false
    }
    let wrong = expected.indices.filter { found.outcomes[$0] != expected[$0] }
    let examples = wrong.prefix(5).map { index in
      "\(text(index)) is \(found.outcomes[index]) and not \(expected[index])"
    }
    Issue.record("\(way), \(wrong.count) of \(count) are wrong: \(examples)")
    return false
  }

  private func text(_ index: Int) -> String {
    String(decoding: stream[(index == 0 ? 0 : ends[index - 1])..<ends[index] - 1], as: UTF8.self)
  }

  private static func expected(
    _ place: LineOutcomes.Place, _ line: ArraySlice<UInt8>
  ) -> LineOutcomes.Outcome {
    guard let members = JSONReference.members(of: line) else { return .malformed(.invalid) }
    switch place {
    case .fieldOfTPV(let field):
      return .number(number(TPV.table.specifications[field], in: members)?.bitPattern)
    case .device:
      guard case .text(let text)? = last("device", of: members) else { return .text(nil) }
      return .text(String(decoding: text, as: UTF8.self))
    case .fieldOfSatellite(let field):
      guard case .list(let list)? = last("satellites", of: members) else { return .number(nil) }
      for case .object(let members) in list {
        return .number(number(SatelliteReport.table.specifications[field], in: members)?.bitPattern)
      }
      return .number(nil)
    }
  }

  private static func last(
    _ key: String, of members: [JSONReference.Member]
  ) -> JSONReference.Value? {
    members.last { $0.key.elementsEqual(key.utf8) }?.value
  }

  private static func number(
    _ specification: FieldSpecification, in members: [JSONReference.Member]
  ) -> Double? {
    switch (specification.kind, last(specification.key, of: members)) {
    case (.number, .number(let number)), (.integer, .number(let number)):
      specification.accepts(number) ? number : nil
    case (.flag, .flag(let flag)): flag ? 1 : 0
    case (.time, .number(let number)): ReportTime.seconds(since1970: number)
    case (.time, .text(let text)): ReportTime.seconds(String(decoding: text, as: UTF8.self))
    default: nil
    }
  }
}
