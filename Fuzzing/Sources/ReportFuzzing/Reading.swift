import AsyncLocation
import FoundationEssentials

@testable import GPSDBackend
@testable import GPSDReports

/// The result of a run that reads a stream: the borrowed reports, and the events for a location
/// manager.
struct LeanReading: ReportHandler {
  private(set) var items: [ReportReader.Item] = []
  private(set) var statistics = ReportReader.Statistics()
  private var assembler = EventAssembler()
  private var batch = EventBatch { Date(timeIntervalSinceReferenceDate: 800_000_000) }

  var events: [BackendEvent] { batch.events }

  init(_ cuts: Cuts, cap: Int) {
    var reader = ReportReader(maximumLineLength: cap)
    var decoder = ReportDecoder()
    cuts.withEach { reader.read($0, with: &decoder, into: &self) }
    statistics = reader.statistics
  }

  mutating func handle(_ report: borrowing TPV) {
    items.append(.report(.tpv(copy report)))
    assembler.add(report, to: &batch)
  }

  mutating func handle(_ report: borrowing SKY) {
    items.append(.report(.sky(copy report)))
    assembler.add(report, to: &batch)
  }

  mutating func handle(_ report: borrowing ATT) {
    items.append(.report(.att(copy report)))
    assembler.add(report, to: &batch)
  }

  mutating func handle(inertial report: borrowing ATT) {
    items.append(.report(.imu(copy report)))
    assembler.add(inertial: report, to: &batch)
  }

  mutating func handle(_ report: borrowing GPSDReport) {
    items.append(.report(copy report))
    assembler.add(copy report, to: &batch)
  }

  mutating func handle(_ line: ReportReader.MalformedLine) { items.append(.malformed(line)) }

  /// The same reading without the bytes of an incomplete line.
  func without(_ bytes: Int) -> Self {
    var other = self
    other.statistics.bytes -= bytes
    return other
  }

  /// Requires that another reading of the same lines is equal.
  func check(_ other: Self, _ way: String) {
    require(items == other.items, "\(way), it reads as \(other.items) and not as \(items)")
    require(events == other.events, "\(way), it means \(other.events) and not \(events)")
    require(
      statistics == other.statistics, "\(way), it counts \(other.statistics) and not \(statistics)")
  }
}

/// The result of a stream of reports: every complete report with its line.
struct FullReading: LineHandler, ReportValueHandler {
  private(set) var items: [ReportReader.Item] = []
  private(set) var lines: [[UInt8]] = []
  private(set) var statistics = ReportReader.Statistics()

  init(_ cuts: Cuts, cap: Int, keepsUnknownMembers: Bool = true) {
    var reader = ReportReader(maximumLineLength: cap)
    var decoder = ReportDecoder(keepsUnknownMembers: keepsUnknownMembers)
    cuts.withEach { reader.readWhole($0, with: &decoder, into: &self) }
    statistics = reader.statistics
  }

  mutating func finish(_ line: Span<UInt8>) { lines.append(Array(copying: line)) }

  mutating func handle(_ report: borrowing GPSDReport) { items.append(.report(copy report)) }

  mutating func handle(_ line: ReportReader.MalformedLine) { items.append(.malformed(line)) }

  /// The same reading without the bytes of an incomplete line.
  func without(_ bytes: Int) -> Self {
    var other = self
    other.statistics.bytes -= bytes
    return other
  }

  /// Requires that another reading of the same lines is equal.
  func check(_ other: Self, _ way: String) {
    require(items == other.items, "\(way), it reads as \(other.items) and not as \(items)")
    require(lines == other.lines, "\(way), its lines are \(other.lines) and not \(lines)")
    require(
      statistics == other.statistics, "\(way), it counts \(other.statistics) and not \(statistics)")
  }

  /// The elements for a subscriber to all reports and sentences.
  var received: [ReceivedReport] {
    var received: [ReceivedReport] = []
    for (item, line) in zip(items, lines) {
      switch item {
      case .report(let report):
        received.append(ReceivedReport(number: received.count, report: report, line: line))
      case .malformed(let malformed):
        guard malformed.reason == .notAnObject else { break }
        received.append(ReceivedReport(number: received.count, report: nil, line: line))
      }
    }
    return received
  }

  /// The elements that a subscriber's collector produces from the same bytes.
  static func collect(_ cuts: Cuts, cap: Int) -> [ReceivedReport] {
    var reader = ReportReader(maximumLineLength: cap)
    var decoder = ReportDecoder(keepsUnknownMembers: true)
    var collector = ReportCollector(ReportOptions(nmea: true))
    var received: [ReceivedReport] = []
    cuts.withEach { bytes in
      collector.beginChunk(of: bytes.count)
      reader.readWhole(bytes, with: &decoder, into: &collector)
      received += collector.takeBatch().numbered(from: received.count)
    }
    return received
  }
}
