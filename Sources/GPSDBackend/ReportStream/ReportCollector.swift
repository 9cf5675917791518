import GPSDReports

/// Collects the reports of the classes that a subscriber requested. Pure.
struct ReportCollector: LineHandler {
  private let options: ReportOptions
  // Computed once, so that no names are compared for the most frequent reports.
  private let wantsPositions: Bool
  private let wantsSkies: Bool
  private let wantsAttitudes: Bool
  private let wantsInertial: Bool
  /// The reports collected from the current chunk.
  private(set) var batch = ReportBatch()
  /// The length of the current or last chunk, and the size of the last batch, from which the size
  /// of the next batch is estimated.
  private var chunkLength = 0
  private var lastSize = ReportBatch.Size()

  init(_ options: ReportOptions) {
    self.options = options
    wantsPositions = options.wants("TPV")
    wantsSkies = options.wants("SKY")
    wantsAttitudes = options.wants("ATT")
    wantsInertial = options.wants("IMU")
  }

  /// Starts a chunk of `length` bytes.
  mutating func beginChunk(of length: Int) {
    batch = ReportBatch(expecting: lastSize.scaled(from: chunkLength, to: length))
    chunkLength = length
  }

  /// Returns the reports collected from the chunk and resets the batch.
  mutating func takeBatch() -> ReportBatch {
    lastSize = batch.size
    var taken = ReportBatch()
    swap(&taken, &batch)
    return taken
  }

  @inline(__always)
  mutating func handle(_ report: borrowing TPV) {
    if wantsPositions { batch.append(.tpv(copy report)) }
  }

  mutating func handle(_ report: borrowing SKY) {
    if wantsSkies { batch.append(.sky(copy report)) }
  }

  mutating func handle(_ report: borrowing ATT) {
    if wantsAttitudes { batch.append(.att(copy report)) }
  }

  mutating func handle(inertial report: borrowing ATT) {
    if wantsInertial { batch.append(.imu(copy report)) }
  }

  mutating func handle(_ report: borrowing GPSDReport) {
    if options.wants(report.className) { batch.append(copy report) }
  }

  /// Collects NMEA sentences and binary packets, which are lines without a report.
  mutating func handle(_ line: ReportReader.MalformedLine) {
    if options.wantsSentences, line.reason == .notAnObject { batch.append(nil) }
  }

  @inline(__always)
  mutating func finish(_ line: Span<UInt8>) { batch.appendLine(line) }
}
