/// The reports of a chunk that a subscriber gets, and their lines in one array. Pure.
struct ReportBatch: Sendable {
  /// How much is going to be in a batch. A report is large, and moving it when an array grows costs
  /// as much as writing it.
  struct Size: Hashable, Sendable {
    var reports = 0
    var bytes = 0
  }

  private let expected: Size
  /// Without numbers and lines before ``numbered(from:)``.
  private var reports: [ReceivedReport] = []
  private var lines: [UInt8] = []

  init(expecting size: Size = Size()) { expected = size }

  var isEmpty: Bool { reports.isEmpty }
  var size: Size { Size(reports: reports.count, bytes: lines.count) }

  @inline(__always)
  mutating func append(_ line: UnsafeRawBufferPointer, _ report: @autoclosure () -> GPSDReport?) {
    if reports.isEmpty { reserve() }
    let start = lines.count
    lines.append(contentsOf: line)
    reports.append(ReceivedReport(report: report(), lineIn: start..<lines.count))
  }

  /// Nothing is reserved for a chunk that has nothing for the subscriber.
  private mutating func reserve() {
    reports.reserveCapacity(expected.reports)
    lines.reserveCapacity(expected.bytes)
  }

  /// The reports, the first of which has this number.
  consuming func numbered(from first: Int) -> [ReceivedReport] {
    var number = first
    for index in reports.indices {
      reports[index].complete(number: number, lines: lines)
      number += 1
    }
    return reports
  }
}

extension ReportBatch.Size {
  /// What a chunk of so many bytes is going to have when it is like one of `other` bytes that had
  /// this much.
  func scaled(from other: Int, to bytes: Int) -> Self {
    guard other > 0 else { return Self() }
    func scaled(_ number: Int) -> Int {
      let (product, overflows) = number.multipliedReportingOverflow(by: bytes)
      return overflows ? number : product / other
    }
    // A little more: to fall short by one costs a copy of all.
    let reports = scaled(self.reports)
    return Self(reports: reports + reports / 16 + 1, bytes: scaled(self.bytes) + 512)
  }
}
