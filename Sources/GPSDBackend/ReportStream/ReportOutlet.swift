/// What a session has for a subscriber to reports: those of a chunk, handed over together. LoopBound
/// to its transport's thread as the session is.
final class ReportOutlet {
  /// What gpsd is asked for.
  let flags: WatchCommand.Flags
  private let deliver: @Sendable (consuming ReportBatch) -> Void
  // Not checked at every access: every report touches it, on one thread.
  @exclusivity(unchecked) fileprivate var collector: ReportCollector

  init(
    _ options: ReportOptions, deliver: @escaping @Sendable (consuming ReportBatch) -> Void
  ) {
    flags = options.flags
    collector = ReportCollector(options)
    self.deliver = deliver
  }

  func beginChunk(of length: Int) { collector.beginChunk(of: length) }

  /// Hands over what the chunk had.
  func flush() {
    let batch = collector.takeBatch()
    if !batch.isEmpty { deliver(batch) }
  }
}

/// Collects the reports that a session hears.
struct ReportCollection: LineHandler {
  let session: GPSDSession
  let outlet: ReportOutlet

  @inline(__always)
  func begin(_ line: UnsafeRawBufferPointer) { outlet.collector.begin(line) }

  @inline(__always)
  func take(_ report: borrowing TPV) {
    if session.hears({ $0.positions += 1 }) { outlet.collector.take(report) }
  }

  func take(_ report: borrowing SKY) {
    if session.hears({ $0.skies += 1 }) { outlet.collector.take(report) }
  }

  func take(_ report: borrowing ATT) {
    if session.hears({ $0.attitudes += 1 }) { outlet.collector.take(report) }
  }

  func take(inertial report: borrowing ATT) {
    if session.hears({ $0.attitudes += 1 }) { outlet.collector.take(inertial: report) }
  }

  func take(_ report: borrowing GPSDReport) {
    if session.hears(report) { outlet.collector.take(report) }
  }

  func take(_ line: ReportReader.MalformedLine) {
    if session.hears(line) { outlet.collector.take(line) }
  }
}
