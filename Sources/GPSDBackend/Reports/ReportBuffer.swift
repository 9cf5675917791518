/// What waits for a slow subscriber: the newest reports, up to a bound, numbered as they came.
struct ReportBuffer: Sendable {
  private let limit: Int
  private var reports: [ReceivedReport] = []
  /// The oldest one's place; those before it are gone.
  private var head = 0
  private var count = 0
  private(set) var dropped = 0

  init(limit: Int) { self.limit = max(1, limit) }

  var isEmpty: Bool { head == reports.count }

  mutating func append(_ report: GPSDReport?, line: [UInt8]) {
    if reports.count - head == limit {
      head += 1
      dropped += 1
    }
    if head >= limit {  // As many are gone as can wait: each is moved once at most.
      reports.removeFirst(head)
      head = 0
    }
    reports.append(ReceivedReport(number: count, report: report, line: line))
    count += 1
  }

  mutating func popFirst() -> ReceivedReport? {
    guard !isEmpty else { return nil }
    let report = reports[head]
    head += 1
    if isEmpty {
      reports.removeAll(keepingCapacity: true)
      head = 0
    }
    return report
  }

  /// Gives up what waits, which counts as dropped.
  mutating func removeAll() {
    dropped += reports.count - head
    reports = []
    head = 0
  }
}
