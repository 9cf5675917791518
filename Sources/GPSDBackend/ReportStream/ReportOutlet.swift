import GPSDReports

/// Delivers a subscriber's reports of each received chunk as one batch. Confined to its transport's
/// thread, as the session is.
final class ReportOutlet {
  /// The flags of the `?WATCH` command.
  let flags: GPSDCommand.WatchFlags
  private let deliver: @Sendable (consuming ReportBatch) -> Void
  // Every report accesses it, on one thread, so dynamic exclusivity checks are disabled.
  @safe @exclusivity(unchecked) fileprivate var collector: ReportCollector

  init(
    _ options: ReportOptions, deliver: @escaping @Sendable (consuming ReportBatch) -> Void
  ) {
    flags = options.flags
    collector = ReportCollector(options)
    self.deliver = deliver
  }

  func beginChunk(of length: Int) { collector.beginChunk(of: length) }

  /// Delivers the batch of the chunk, unless it is empty.
  func flush() {
    let batch = collector.takeBatch()
    if !batch.isEmpty { deliver(batch) }
  }
}

/// Passes the reports that a session accepts to a report outlet.
struct ReportCollection: LineHandler {
  let session: GPSDSession
  let outlet: ReportOutlet

  @inline(__always)
  func handle(_ report: borrowing TPV) {
    if session.accepts({ $0.positions += 1 }) { outlet.collector.handle(report) }
  }

  func handle(_ report: borrowing SKY) {
    if session.accepts({ $0.skies += 1 }) { outlet.collector.handle(report) }
  }

  func handle(_ report: borrowing ATT) {
    if session.accepts({ $0.attitudes += 1 }) { outlet.collector.handle(report) }
  }

  func handle(inertial report: borrowing ATT) {
    if session.accepts({ $0.attitudes += 1 }) { outlet.collector.handle(inertial: report) }
  }

  func handle(_ report: borrowing GPSDReport) {
    if session.accepts(report) { outlet.collector.handle(report) }
  }

  func handle(_ line: ReportReader.MalformedLine) {
    if session.accepts(line) { outlet.collector.handle(line) }
  }

  @inline(__always)
  func finish(_ line: Span<UInt8>) { outlet.collector.finish(line) }
}
