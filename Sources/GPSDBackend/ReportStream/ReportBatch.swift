import GPSDReports

/// One subscriber's reports from one chunk, and their lines in one array. Pure.
struct ReportBatch: Sendable {
  /// The number of reports in a batch and the length of their lines.
  struct Size: Hashable, Sendable {
    var reports = 0
    var bytes = 0
  }

  /// The capacity to reserve. Reports are large, and moving one when an array grows costs as much
  /// as writing it.
  private let expected: Size
  /// Numbers and lines are set by ``numbered(from:)``.
  private var reports: [ReceivedReport] = []
  /// Whether the last report's line is missing.
  private var lacksLine = false
  private var lines: [UInt8] = []

  init(expecting size: Size = Size()) { expected = size }

  var isEmpty: Bool { reports.isEmpty }
  var size: Size { Size(reports: reports.count, bytes: lines.count) }

  /// Appends a report, whose line follows.
  @inline(__always)
  mutating func append(_ report: @autoclosure () -> GPSDReport?) {
    if reports.isEmpty { reserve() }
    reports.append(ReceivedReport(report: report()))
    lacksLine = true
  }

  /// Appends the line of the report that was just appended; ignores the lines of other reports.
  @inline(__always)
  mutating func appendLine(_ line: Span<UInt8>) {
    guard lacksLine else { return }
    let start = lines.count
    lines.append(copying: line)
    reports[reports.count - 1].setLine(start..<lines.count)
    lacksLine = false
  }

  /// Called for the first report, so that a chunk without reports reserves nothing.
  private mutating func reserve() {
    reports.reserveCapacity(expected.reports)
    lines.reserveCapacity(expected.bytes)
  }

  /// Returns the reports, numbered consecutively from `first`.
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
  /// Estimates the size for a chunk of `newLength` bytes, given that this is the size for a chunk
  /// of `oldLength` bytes.
  func scaled(from oldLength: Int, to newLength: Int) -> Self {
    guard oldLength > 0 else { return Self() }
    func scaled(_ number: Int) -> Int {
      let (product, overflows) = number.multipliedReportingOverflow(by: newLength)
      return overflows ? number : product / oldLength
    }
    // Reserve slightly more: growing the array by one element would copy all of it.
    let reports = scaled(self.reports)
    return Self(reports: reports + reports / 16 + 1, bytes: scaled(self.bytes) + 512)
  }
}
