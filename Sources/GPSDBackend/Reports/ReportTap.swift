/// Picks what a subscriber wants from the bytes of one connection. Pure.
struct ReportTap: ~Copyable {
  private let options: ReportOptions
  private var reader: ReportReader
  private var decoder = ReportDecoder()
  private var isGreeted = false

  init(_ options: ReportOptions, maximumLineLength: Int) {
    self.options = options
    reader = ReportReader(maximumLineLength: maximumLineLength)
  }

  /// The reports of a chunk. Nothing counts before gpsd's greeting.
  mutating func read(_ bytes: UnsafeRawBufferPointer) -> ReportSubscription.Batch {
    var batch: ReportSubscription.Batch = []
    var isGreeted = isGreeted
    reader.readWhole(bytes, with: &decoder) { item, line in
      switch copy item {
      case .report(let report):
        if case .version = report { isGreeted = true }
        if isGreeted, options.wants(report) { batch.append((report, Array(line))) }
      case .malformed(let malformed):
        guard isGreeted, options.wantsSentences, malformed.reason == .notAnObject else { break }
        batch.append((nil, Array(line)))
      }
    }
    self.isGreeted = isGreeted
    return batch
  }
}
